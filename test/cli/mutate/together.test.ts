/** Several modules watched in one run of their tests, as a campaign over all modules does. */
import { describe, expect, it } from "vitest";
import { nextTests } from "../../../cli/mutate/hunt.ts";
import { locate, siblingsOf } from "../../../cli/mutate/locate.ts";
import type { Seen } from "../../../cli/mutate/plan.ts";
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
