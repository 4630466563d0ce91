/** The designs' own measures at a point, with MNEMO_LONG=1: what a setting changes is seen in the figures. */
import { describe, expect, it } from "vitest";
import { designNamed, hookOf } from "../../../cli/design-named.ts";
import { measureLatency } from "../../../designs/clio/evaluation/index.ts";

describe.skipIf(process.env["MNEMO_LONG"] === undefined)("points of the designs", () => {
  it("the memory node: the default point is what `mnemo bench` measures; a narrow bus carries less", async () => {
    const explore = await hookOf(designNamed("clio"), "explore")(),
      wide = await explore([], 1),
      narrow = await explore(["dataWidth=128"], 1),
      { net, rows } = await measureLatency(1);
    expect(wide.latency).toBe(net + (rows.find(r => r.kind === "read hit")?.core ?? NaN));
    expect(narrow.throughput).toBeLessThan(wide.throughput / 3);
    await expect(explore(["dataWidth=100"], 1)).rejects.toThrow(/dataWidth = "100"/);
  });
  it("SuperNIC: fewer ports carry less, a frame takes the same", async () => {
    const explore = await hookOf(designNamed("supernic"), "explore")(),
      four = await explore([], 1),
      two = await explore(["ports=2"], 1);
    expect(two.latency).toBe(four.latency);
    expect(two.throughput).toBeLessThanOrEqual(four.throughput);
    for (const v of [...Object.values(four), ...Object.values(two)]) expect(v).toBeGreaterThan(0);
  });
});
