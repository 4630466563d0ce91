/** Virtual memory: docs/supernic/memory.md. */
import { describe, expect } from "vitest";
import { bernoulli, bursts, legalMemories } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { dut, MemoryRig, type RigOptions } from "./support/memory-rig.ts";
import type { B } from "./support/rtl-driver.ts";

/** Two ways share a space, a third has one of its own; pages go elsewhere and come back. */
export async function shared(b: B, cycles: number, o: RigOptions = {}): Promise<MemoryRig> {
  const rig = new MemoryRig(b, o);
  const both = await rig.space(9),
    own = await rig.space(7);
  await rig.attach(0, both);
  await rig.attach(1, both);
  await rig.attach(2, own);
  const software = b.spawn(() => rig.run());
  await rig.traffic(cycles);
  await rig.end();
  await software;
  return rig;
}

describe("memory of tasks", () => {
  bench("every byte is as the model says, while pages come and go", dut, { seed: 1 }, async b => {
    const { seen, manager } = await shared(b, 6_000);
    expect(seen.reads).toBeGreaterThan(300);
    expect(seen.writes).toBeGreaterThan(300);
    expect(seen.denied).toBeGreaterThan(20);
    expect(seen.crossed).toBeGreaterThan(50);
    expect(manager.counted.out).toBeGreaterThan(5);
    expect(manager.counted.in).toBeGreaterThan(5);
  });
});
export { bernoulli, bursts, legalMemories };
