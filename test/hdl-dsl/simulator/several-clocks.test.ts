/** Random programs with clocks of their own periods and resets at any time: both simulators, every output. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { Random } from "../../../hdl-dsl/random.ts";
import { emitCircuit } from "../../../hdl-dsl/verilog/emit.ts";
import { programOf } from "../fuzz/program.ts";
import { choices } from "../fuzz/differential.ts";
import { compareSimulators } from "./against-verilator.ts";
import { bundle, isInitialised } from "./bundle.ts";

test.each([
  { seed: 11, gated: true },
  { seed: 12, gated: false },
  { seed: 13, gated: true },
])("programs of seed $seed with three clocks, gated: $gated", async ({ seed, gated }) => {
  const programs = fc.sample(choices, { seed, numRuns: 50 }).map((l, n) => programOf(l, `Clocks${seed}x${n}`));
  const design = emitCircuit(bundle(programs.filter(isInitialised), `Clocks${seed}`));
  const random = new Random(seed);
  const r = await compareSimulators(
    design,
    {
      steps: 400,
      gated,
      from: 10,
      settles: random.fork("settles"),
      clocks: {
        default: { periodPs: 4000, phasePs: 0 },
        slow: { periodPs: 6000, phasePs: 2000 },
        free: { periodPs: 2500, phasePs: 500 },
      },
    },
    (words, step, model) => {
      for (const s of model.slots.values()) {
        if (s.port.dir !== "in") continue;
        // Resets at the start, and then now and then, of one domain or the other.
        if (s.port.role === "reset")
          words[s.word] = (step < 8 || random.chance(0.04)) === (s.port.activeLow !== true) ? 1 : 0;
        else if (random.chance(0.6))
          for (let i = 0; i < s.words; i++) words[s.word + i] = random.below(2 ** Math.min(32, s.port.width - 32 * i));
      }
    },
  );
  expect(r.differences).toEqual([]);
  expect(r.compared).toBeGreaterThan(10_000);
});
