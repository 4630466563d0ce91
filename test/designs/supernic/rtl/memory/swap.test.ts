/** Regions that are killed and reprogrammed while their memory answers: docs/supernic/memory.md. */
import { expect, it } from "vitest";
import { type Dut, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { type B, dut, SwapRig } from "./support/swap-path.ts";

const o = { limitCycles: 200_000, hangCycles: 6_000 };
async function swaps(b: B): Promise<SwapRig> {
  const rig = new SwapRig(b);
  await b.cycles(40);
  await rig.begin();
  await rig.traffic(30);
  for (const chain of [1, 1, 2, 1, 3, 2, 2, 1]) {
    const beside = b.spawn(() => rig.traffic(12));
    await b.cycles(b.random.below(150));
    await rig.swap(chain);
    await beside;
    await rig.traffic(8);
  }
  await rig.traffic(40);
  await rig.end();
  return rig;
}
bench(
  "no answer of before comes to the chain that is there then; the other region notices nothing",
  dut,
  { seed: 1, ...o },
  async b => {
    const { seen } = await swaps(b);
    expect(seen.killed).toBeGreaterThan(5);
    for (const n of seen.right) expect(n).toBeGreaterThan(40);
  },
);
const finds = (name: string, ...faults: readonly (readonly [RegExp, string])[]) =>
  it(`a planted fault is found: ${name}`, () =>
    findsFault(
      runBench(
        `memory swap fault ${name}`,
        faults.reduce<Dut<(typeof dut)["ports"]>>((design, [from, to]) => plant(design, from, to), dut),
        { seed: 2, wave: false, ...o },
        swaps,
      ),
    ));
// Either alone is harmless: software waits for the one, and the region stays off by the other.
finds(
  "a region is empty, and on, while its memory still answers",
  [/status_empty = decoupler_status_empty & memories_idle;/, "status_empty = decoupler_status_empty;"],
  [/cut \| \(status_off & ~memories_idle\)/, "cut"],
);
finds("a region that is off does not tell its way", [
  /memory_off = partition_memory_off \| status_off;/,
  "memory_off = partition_memory_off;",
]);
