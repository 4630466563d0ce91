import { describe, expect, it } from "vitest";
import { bitstreamsFor, mostBitstreams, type OrderedDag } from "../../../../../designs/supernic/software/index.ts";
import { Random } from "../../../../../hdl-dsl/index.ts";

const everybody = (): undefined => undefined;
const dag = (user: number, ...stages: string[][][]): OrderedDag => ({ user, stages });
const names = (chains: readonly (readonly string[])[]): string[] => chains.map(c => c.join("+")).sort();

describe("bitstreams", () => {
  it("a DAG of three in a row: every part of it, in its order", () => {
    const { chains, leftOut, more } = bitstreamsFor([dag(1, [["a", "b", "c"]])], everybody, 3);
    expect(names(chains)).toEqual(["a", "a+b", "a+b+c", "a+c", "b", "b+c", "c"]);
    // What serves the whole branch comes first.
    expect(chains[0]).toEqual(["a", "b", "c"]);
    expect([leftOut, more]).toEqual([[], false]);
  });
  it("stages order as a row does, branches side by side do not", () => {
    const { chains } = bitstreamsFor([dag(1, [["b"], ["a"]], [["c"]])], everybody, 2);
    expect(names(chains)).toEqual(["a", "a+b", "a+c", "b", "b+c", "c"]);
  });
  it("figure 5.7: tasks that users share stand in one chain", () => {
    // User 1: (NT1 > NT2) beside NT3, then NT4; user 2: NT2 > NT4.
    const dags = [dag(1, [["nt1", "nt2"], ["nt3"]], [["nt4"]]), dag(2, [["nt2", "nt4"]])],
      { chains } = bitstreamsFor(dags, everybody, 4);
    for (const chain of ["nt1+nt2", "nt3+nt4", "nt2+nt4", "nt1+nt2+nt3+nt4"]) expect(names(chains)).toContain(chain);
    expect(names(chains).some(c => /nt4.*nt[123]|nt2.*nt1/.test(c))).toBe(false);
  });
  it("what a user does not share stands in no chain with another's", () => {
    const users: Readonly<Record<string, ReadonlySet<number>>> = { a: new Set([1]), b: new Set([2]) },
      { chains } = bitstreamsFor([dag(1, [["a", "s"]]), dag(2, [["b", "s"]])], t => users[t], 3);
    expect(names(chains)).toEqual(["a", "a+s", "b", "b+s", "s"]);
  });
  it("two DAGs that disagree both get their order", () => {
    const { chains } = bitstreamsFor([dag(1, [["a", "b"]]), dag(2, [["b", "a"]])], everybody, 2);
    expect(names(chains)).toEqual(["a", "a+b", "b", "b+a"]);
  });
  it("no chain is longer than a region, and 256 are kept; the others are listed", () => {
    const tasks = Array.from({ length: 12 }, (_, i) => `t${String(i).padStart(2, "0")}`),
      { chains, leftOut, more } = bitstreamsFor([dag(1, [tasks])], everybody, 4);
    const all = 12 + 66 + 220 + 495;
    expect([chains.length, leftOut.length, more]).toEqual([mostBitstreams, all - mostBitstreams, false]);
    expect([...chains, ...leftOut].every(c => c.length <= 4)).toBe(true);
    expect(bitstreamsFor([dag(1, [tasks])], everybody, 8)).toMatchObject({ more: false });
    const many = Array.from({ length: 32 }, (_, i) => `t${String(i).padStart(2, "0")}`);
    expect(bitstreamsFor([dag(1, [many])], everybody, 8).more).toBe(true);
  });
  it("random DAGs: a chain is listed if and only if no pair of it stands against every DAG that has both", () => {
    const r = new Random(5),
      pool = ["a", "b", "c", "d", "e"];
    for (let n = 0; n < 60; n++) {
      const dags = Array.from({ length: r.between(1, 3) }, (_, u) => {
        const own = pool.filter(() => r.chance(0.6));
        return dag(u, [own.length === 0 ? ["a"] : [...own].sort(() => (r.chance(0.5) ? 1 : -1))]);
      });
      const found = new Set(names(bitstreamsFor(dags, everybody, 3).chains)),
        used = [...new Set(dags.flatMap(d => d.stages.flat(2)))];
      const legal = (x: string, y: string): boolean => {
        const both = dags.map(d => d.stages[0]?.[0] ?? []).filter(t => t.includes(x) && t.includes(y));
        return both.length === 0 ? x < y : both.some(t => t.indexOf(x) < t.indexOf(y));
      };
      const rows = used.flatMap(x => [[x], ...used.flatMap(y => [[x, y], ...used.map(z => [x, y, z])])]);
      const branches = dags.map(d => d.stages.flat(2)).filter(b => b.length <= 3);
      const should = rows.filter(
        row => new Set(row).size === row.length && row.every((x, i) => row.slice(i + 1).every(y => legal(x, y))),
      );
      expect([...found].sort()).toEqual([...new Set(names([...should, ...branches]))].sort());
    }
  });
});
