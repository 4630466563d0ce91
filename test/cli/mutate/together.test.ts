/** Several modules watched in one run of their tests, as a campaign over all modules does. */
import { describe, expect, it } from "vitest";
import { merge } from "../../../cli/campaign/merge.ts";
import { planOf } from "../../../cli/campaign/plan.ts";
import { repeatOf } from "../../../cli/campaign/repeat.ts";
import { specSchema } from "../../../cli/campaign/spec.ts";
import { hunt, huntTogether, nextTests, see } from "../../../cli/mutate/hunt.ts";
import { locate, siblingsOf } from "../../../cli/mutate/locate.ts";
import type { Outcome } from "../../../cli/mutate/outcome.ts";
import type { Seen } from "../../../cli/mutate/plan.ts";
import { figures } from "../../../cli/mutate/report.ts";
import campaign from "../../../examples/campaigns/mutants.ts";

const named = campaign.work.flatMap(w => w.modules);

describe("the modules of a campaign", () => {
  it("each is found in the sources, once", () => {
    const places = named.map(m => locate(m)).map(l => `${l.file} ${l.module}`);
    expect(new Set(places).size).toBe(named.length);
    expect(named.length).toBeGreaterThan(200);
  });
  it("one that the Verilog calls something else is found by both names", () => {
    const lookup = { module: "ExCacheLookup", file: "designs/legoos/rtl/lookup/lookup.ts" };
    expect(locate("legoos/Lookup")).toEqual(lookup);
    expect(locate("legoos/ExCacheLookup")).toEqual(lookup);
  });
  it("siblings are those whose tests are looked through first", () => {
    const beside = siblingsOf(locate("shared/GbnReorder")).map(l => l.module);
    expect(beside).toEqual(expect.arrayContaining(["GbnReorder", "GbnSender", "GbnReceiver"]));
    expect(beside).not.toContain("Tlb");
  });
});

describe("together", () => {
  const choice = { seed: 1, limit: 3 },
    quiet = (): void => undefined;
  it("a module's faults fare as they do alone", async () => {
    for (const name of ["library/Divider", "library/Fir"]) {
      const where = locate(name),
        alone = await hunt(where, await see(where, undefined, quiet), choice, 60_000, quiet),
        { outcomes } = await huntTogether(where, choice, 60_000, quiet);
      const fates = (all: readonly Outcome[]): readonly string[] => all.map(o => `${o.mutant.key} ${o.fate}`);
      expect(fates(outcomes)).toEqual(fates(alone));
      expect(outcomes).toHaveLength(3);
    }
  });
  it("tests that all take longer than the patience say nothing of a module", async () => {
    await expect(huntTogether(locate("library/Divider"), choice, 0, quiet)).rejects.toThrow(
      "each test that simulates Divider takes longer than the patience: give a longer --patience",
    );
  });
});

describe("what a campaign is told", () => {
  const mutant = { key: "k", operator: "bound", file: "a.ts", line: 7, says: "a < b is a <= b" },
    outcomes = (["killed", "survived", "unseen", "equivalent", "argued", "loop"] as const).map(fate => ({
      mutant,
      fate,
    }));
  it("counts by fate, and a sentence for each fault that no test finds", () => {
    const told: unknown = JSON.parse(figures({ module: "A", file: "a.ts", testFiles: [], seconds: 1, outcomes }));
    expect(told).toEqual({
      problems: ["a.ts:7 bound: a < b is a <= b", "a.ts:7 bound: a < b is a <= b"],
      ...{ planted: 6, found: 1, survived: 2, sameCircuit: 1, argued: 1, noCircuit: 1 },
    });
  });
  it("a piece's command is one for a module alone", () => {
    const spec = specSchema.parse({ name: "m", work: [{ kind: "mutants", modules: ["clio/Mat"], limit: 9, seed: 4 }] }),
      plan = planOf(spec, "m.json", "a".repeat(40)),
      [piece] = plan.pieces;
    expect(piece && repeatOf(plan, piece)).toBe("npx mnemo mutate clio/Mat --limit 9 --seed 4 --patience 60");
    expect(merge(plan, []).works.map(w => w.kind)).toEqual(["mutants of clio"]);
  });
});

describe("the next tests", () => {
  const test = (ms: number): Seen => ({ id: `t${ms}`, file: "t.test.ts", ms, edges: 1, variants: ["A"] }),
    times = (left: readonly Seen[], keys: number): readonly number[] => nextTests(left, keys).map(t => t.ms);
  it("are the short ones, and longer ones that cost less than another start", () => {
    const all = [9000, 200, 400, 100, 1000].map(test);
    expect(times(all, 100)).toEqual([100, 200]);
    expect(times(all, 2)).toEqual([100, 200, 400, 1000]);
    expect(times([9000, 1000].map(test), 100)).toEqual([1000]);
    expect(times([9000].map(test), 100)).toEqual([9000]);
  });
});
