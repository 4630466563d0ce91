import { expect, test } from "vitest";
import { regionEntry } from "../../../../../designs/clio/config/index.ts";
import { regionIndexOf } from "../../../../../designs/clio/rtl/activity/index.ts";
import { input, module, output, uint } from "../../../../../hdl-dsl/index.ts";
import { runBench } from "../../../../../sim/index.ts";

const bits = 12;
const indexOf = (width: number) =>
  module(
    "RegionIndex",
    () => ({ pid: input(uint(16)), va: input(uint(64)), entry: output(uint(width)) }),
    io => io.entry.set(regionIndexOf(io.pid, io.va, width)),
  )();

test.each([6, 8, 10, 12])("hardware and software name the same entry of 2^%d", width =>
  runBench("region index", indexOf(width), { seed: 3, wave: false }, async b => {
    for (let i = 0; i < 300; i++) {
      const pid = b.random.below(2 ** 16),
        region = b.random.below(2 ** 18);
      b.io.pid.value = pid;
      b.io.va.value = (BigInt(region) << 30n) | b.random.bits(30);
      await b.risingEdge();
      expect(b.io.entry.value).toBe(regionEntry({ pid, region }, width));
    }
  }),
);
test.each([
  [256, 16],
  [16, 256],
  [4096, 1],
  [1, 4096],
])("%s processes of %s regions share no entry", (processes, regions) => {
  const entries = new Set<number>();
  for (let pid = 0; pid < processes; pid++)
    for (let region = 0; region < regions; region++) entries.add(regionEntry({ pid, region }, bits));
  expect(entries.size).toBe(processes * regions);
});
