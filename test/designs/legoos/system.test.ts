import { expect, test } from "vitest";
import { makeParameters } from "../../../designs/legoos/config/index.ts";
import { firstRegion, withSystem } from "../../../designs/legoos/rig/index.ts";
import { traffic } from "./traffic.ts";

test("two cycle-accurate Clio nodes behind it: every byte comes back, dirty misses are one request or two", async () => {
  const parameters = makeParameters({
    sets: 2,
    ways: 2,
    lineBytes: 1024,
    misses: 2,
    waiting: 4,
    regions: 4,
    nodes: 2,
    localLines: 64,
    timeoutCycles: 20000,
  });
  const counts = await withSystem(
    "system",
    { parameters, nodes: 2, seed: 1, asids: [1], regions: 2, regionBytes: 16384 },
    async rig => {
      await traffic(rig, { accesses: 60, lines: 8, asids: [1], regions: 2, firstRegion });
      await rig.flush();
      // All of it again, from the nodes.
      await traffic(rig, { accesses: 40, lines: 8, asids: [1], regions: 2, firstRegion, writes: 0 });
      expect(rig.bench.io.busy.value).toBe(0);
      return { ...rig.counts };
    },
  );
  expect(counts["compound"]).toBeGreaterThan(3);
  expect(counts["write"]).toBeGreaterThan(3);
  expect(counts["repeat"] ?? 0).toBe(0);
});
