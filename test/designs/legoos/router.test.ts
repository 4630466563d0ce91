import { expect, test } from "vitest";
import { VRegionRouter } from "../../../designs/legoos/rtl/index.ts";
import { poke, runBench } from "../../../sim/index.ts";
import { findsFault, plant } from "../../support/plant.ts";
import { small } from "./traffic.ts";

interface Route {
  readonly asid: number;
  readonly region: number;
  readonly node: number;
  readonly secondary: number;
}

/** Random writes and look-ups at once, a look-up each cycle, against a table of the entries. */
const run = (design = plant(VRegionRouter(small()), "module VRegionRouter", "module VRegionRouter")) =>
  runBench("router", design, { seed: 1, wave: false }, async b => {
    const { io, random: r } = b,
      entries: (Route | undefined)[] = Array.from({ length: 8 }, () => undefined);
    io.node.value = 0;
    for (let i = 0; i < 400; i++) {
      const asid = r.below(3),
        region = r.below(4) + 4 * r.below(2) * 0x4000,
        writes = r.chance(0.4),
        index = r.below(8),
        entry = { asid: r.below(3), region: r.below(4), node: r.below(4), secondary: r.below(4) };
      // Two entries of one region are software's fault.
      const keep =
        r.chance(0.7) && !entries.some((e, k) => k !== index && e?.asid === entry.asid && e.region === entry.region);
      io.asid.value = asid;
      io.region.value = region;
      io.regionWrite.valid.value = writes ? 1 : 0;
      poke(io.regionWrite.entry, { index, keep: keep ? 1 : 0, replicated: 1, ...entry });
      await b.risingEdge();
      if (writes) entries[index] = keep ? entry : undefined;
      const expected = entries.find(e => e?.asid === asid && e.region === region);
      io.regionWrite.valid.value = 0;
      await b.risingEdge();
      await b.risingEdge();
      expect(io.route.known.value).toBe(expected === undefined ? 0 : 1);
      if (expected !== undefined)
        expect([io.route.node.value, io.route.secondary.value]).toEqual([expected.node, expected.secondary]);
    }
  });

test("regions of several address spaces, two cycles after they are asked for", () => run());
test("a planted fault: address spaces are not told apart", () =>
  findsFault(run(plant(VRegionRouter(small()), "cam_key = {asid, region}", "cam_key = {16'd0, region}"))));
