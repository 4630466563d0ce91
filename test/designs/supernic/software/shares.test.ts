/** The tables of fair shares follow chains, DAGs and weights; the gate of a DAG follows its chains. */
import { describe, expect, it } from "vitest";
import { type Dag, FairShares, type LiveChain, WaitingDags } from "../../../../designs/supernic/software/index.ts";
import type { TableWrite } from "../../../../designs/supernic/wire/index.ts";
import { fieldsOf } from "./regions/support/modelled-regions.ts";
import { setup } from "./regions/support/world.ts";

const unit = 32,
  resources = { types: 8, all: 16, lane: 8, writes: 9, reads: 10, ports: [12, 13], unit, users: 4 };
const chains = (): LiveChain[] => setup.chains.map(c => ({ ...c, regions: [...c.regions] }));
const dags: Dag[] = [...setup.dags];
/** What stands in a table, entry by entry. */
function shares() {
  const entries = new Map<string, Readonly<Record<string, number>>>();
  const write = (e: TableWrite): Promise<void> => {
    entries.set(`${e.table} ${e.index}`, fieldsOf(e));
    return Promise.resolve();
  };
  return { of: new FairShares(setup, write, () => dags, { resources }), entries };
}
const given = (bytes: number): number => Math.min(2 ** 24 - 1, Math.floor(0.9 * bytes * unit));

describe("fair shares' tables", () => {
  it("each slot of a chain with regions is a type; its capacity is that of its instances", async () => {
    const { of, entries } = shares(),
      [plain, sums] = chains();
    if (plain === undefined || sums === undefined) throw new RangeError("there are two chains");
    await of.start([plain, sums]);
    const type = of.typeOf(plain.number, 0) ?? -1;
    expect(type).not.toBe(of.typeOf(sums.number, 0));
    expect(entries.get(`capacity ${type}`)).toEqual({ units: given(64 * setup.epoch), packets: 1 });
    expect(entries.get("capacity 8")).toEqual({ units: given(64 * setup.epoch), packets: 0 });
    await of.changed({ ...plain, regions: [0, 2] });
    expect(entries.get(`capacity ${type}`)?.["units"]).toBe(given(128 * setup.epoch));
    expect(given(128 * setup.epoch)).toBeLessThan(2 * given(64 * setup.epoch));
    const [dag] = dags;
    expect(entries.get(`dagUse ${dag?.number}`)?.[`uses${type}`]).toBe(1);
    // Without a region it has no type, and its DAG uses none; another chain may have that one.
    await of.changed({ ...plain, regions: [] });
    expect([of.typeOf(plain.number, 0), entries.get(`capacity ${type}`)?.["units"]]).toEqual([undefined, 0]);
    expect(Object.values(entries.get(`dagUse ${dag?.number}`) ?? {}).every(n => n === 0)).toBe(true);
  });
  it("what a DAG takes more often than can be said counts as often as can be", async () => {
    const { of, entries } = shares(),
      [plain] = chains(),
      [dag] = dags,
      [branch] = dag?.stages.flat() ?? [];
    if (plain === undefined || dag === undefined || branch === undefined) throw new RangeError("there is a DAG");
    dags.push({ ...dag, number: 9, stages: Array.from({ length: 5 }, () => [branch]) });
    try {
      await of.start([plain]);
      expect(entries.get("dagUse 9")?.[`uses${of.typeOf(plain.number, 0)}`]).toBe(3);
    } finally {
      dags.pop();
    }
  });
  it("weights: 1 from the start, and then what the user has asked for", async () => {
    const { of, entries } = shares();
    await of.start(chains());
    expect(entries.get("weight 1")).toEqual({ weight: 1 });
    await of.weigh(1, 15);
    expect([entries.get("weight 1"), entries.get("weight 2")]).toEqual([{ weight: 15 }, { weight: 1 }]);
  });
});

describe("the gate of DAGs", () => {
  const [first, second] = chains(),
    [dag] = dags;
  if (first === undefined || second === undefined || dag === undefined) throw new RangeError("there are two chains");
  const both: Dag = { ...dag, number: 7, stages: [first, second].map(chain => [{ chain, run: [0], arg: 0 }]) };
  /** Packets inside, by look. */
  function gate(has: Set<number>, inside: number[] = []) {
    const waits = new Set<number>();
    let time = 0,
      looks = 0;
    const of = new WaitingDags(
      {
        write: e => {
          if (fieldsOf(e)["waits"] === 1) waits.add(e.index);
          else waits.delete(e.index);
          return Promise.resolve();
        },
        waiting: () => Promise.resolve([...waits][0]),
        dagInside: () => Promise.resolve({ inside: inside[looks] ?? 0, settled: looks++ > 0 }),
      },
      {
        dags: () => [both],
        hasRegion: n => has.has(n),
        time: () => time,
        wait: () => Promise.resolve(void (time += 1_000)),
      },
    );
    return { of, waits, looks: () => looks, time: () => time };
  }
  it("a DAG goes on when all its chains have regions, and not before", async () => {
    const has = new Set<number>(),
      { of, waits } = gate(has);
    await of.admit(both);
    expect([...waits]).toEqual([7]);
    expect(await of.look()).toBe(both);
    has.add(first.number);
    await of.open(first);
    expect(waits.size).toBe(1);
    has.add(second.number);
    await of.open(second);
    expect(waits.size).toBe(0);
  });
  it("a chain that no region can have is given up, and a DAG that is removed waits no more", async () => {
    const given = gate(new Set());
    await given.of.admit(both);
    await given.of.open(first);
    expect(given.waits.size).toBe(0);
    await given.of.close(first, false);
    await given.of.removed(both);
    expect(given.waits.size).toBe(0);
  });
  it("a chain goes when nothing of its DAGs is inside, or on its way; what does not leave is waited for 1 ms", async () => {
    const leaves = gate(new Set([0, 1]), [0, 5, 2, 0]);
    await leaves.of.close(first, true);
    // The first look was of what had not settled.
    expect([leaves.looks(), [...leaves.waits]]).toEqual([4, [7]]);
    const hangs = gate(
      new Set([0, 1]),
      Array.from({ length: 2_000 }, () => 1),
    );
    await hangs.of.close(first, true);
    expect(hangs.time()).toBeGreaterThan(1_000_000);
    expect(hangs.time()).toBeLessThan(1_010_000);
  });
});
