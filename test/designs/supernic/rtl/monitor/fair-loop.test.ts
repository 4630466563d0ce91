/** The monitors and the loop, beside a model: random traffic at all rates, and what comes beside the ends of epochs. */
import { describe, expect } from "vitest";
import { clockPeriod, makeParameters } from "../../../../../designs/supernic/config/index.ts";
import { bench } from "../../../../bench.ts";
import { type B, dut, type Size } from "./support/fair-rig.ts";
import { epochs, hoard, latency, lies, modes, resets, saturation, silence } from "./support/runs.ts";

const options = { hangCycles: 20_000 };

describe("FairLoop", () => {
  for (const [size, count] of [
    ["small", 12],
    ["odd", 8],
    ["full", 3],
  ] as const satisfies readonly (readonly [Size, number])[])
    bench(`${size}: rates of the model, bit for bit`, dut(size), { ...options, seed: 2 }, async b => {
      const rig = await epochs(b, size, count);
      expect(rig.latencies.length).toBeGreaterThan(count - 2);
    });
  bench("counts that have no room stay at their largest", dut("small"), { ...options, seed: 3 }, saturation);
  bench("a measure that has no room", dut("small"), { ...options, seed: 3 }, hoard);
  bench("users that stop, start, or come anew", dut("small"), { ...options, seed: 4 }, silence);
  bench("what a pause hides counts only while the meter held it", dut("small"), { ...options, seed: 5 }, lies);
  bench("software's rates and the unit's", dut("small"), { ...options, seed: 6 }, modes);
  bench("resets beside ends of epochs leave nothing behind", dut("small"), { ...options, seed: 7 }, async b => {
    await resets(b, 30);
  });
  bench("16 users and 40 resources: in force within 3 us", dut("full"), { ...options, seed: 8 }, async (b: B) => {
    const cycles = await latency(b);
    expect(cycles, "from an epoch's end to the last rate").toBe(741);
    expect(cycles * clockPeriod, "nanoseconds").toBeLessThanOrEqual(makeParameters().drfTime);
  });
});
