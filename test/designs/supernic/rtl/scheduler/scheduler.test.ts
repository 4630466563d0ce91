import { describe, expect } from "vitest";
import type { Random } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { type B, dut, SchedulerRig, type Size, sizes, type World } from "./support/scheduler-rig.ts";

/** Chains with one to three instances, and DAGs of one to three stages of one or more branches. */
function randomWorld(r: Random, size: Size): World {
  const p = sizes[size],
    chains: { regions: number[]; slots: number }[] = [{ regions: [], slots: p.slots }];
  for (let region = 0; region < p.regions; region++) {
    if (region > 0 && r.chance(0.6)) chains.push({ regions: [], slots: r.between(1, p.slots) });
    chains.at(-1)?.regions.push(region);
  }
  const run = (slots: number): number[] => {
    const some = Array.from({ length: slots }, (_, s) => s).filter(() => r.chance(0.7));
    return some.length > 0 ? some : [r.between(0, slots - 1)];
  };
  const dags = Array.from({ length: 6 }, () => ({
    slow: r.chance(0.4),
    stages: Array.from({ length: r.between(1, 3) }, () => {
      const list = chains
          .map((_, i) => i)
          .filter(() => r.chance(0.5))
          .slice(0, p.branches),
        some = list.length > 0 ? list : [r.between(0, chains.length - 1)];
      return some.map(chain => ({ chain, run: run(chains[chain]?.slots ?? 1), arg: r.between(0, 255) }));
    }),
  }));
  return {
    chains,
    dags,
    limit: r.between(1, p.credits),
    intervals: Array.from({ length: p.regions }, () =>
      Array.from({ length: p.slots }, () => (r.chance(0.3) ? r.between(2, 9) : 1)),
    ),
  };
}
const paused = (b: B) => ({ from: () => () => b.random.chance(0.2), to: () => () => b.random.chance(0.3) });

async function life(b: B, size: Size, cycles: number): Promise<SchedulerRig> {
  const rig = new SchedulerRig(b, size, randomWorld(b.random, size), paused(b));
  await rig.program();
  await rig.traffic(cycles);
  rig.closes = 30;
  await rig.traffic(cycles / 2);
  rig.closes = 0;
  await rig.end();
  return rig;
}
describe("Scheduler", () => {
  for (const seed of Array.from({ length: Number(process.env["MNEMO_SCHEDULER_SEEDS"] ?? 6) }, (_, i) => i + 1))
    bench(
      `small ${seed}: random DAGs, few credits, drops: all end in order, all credits come back`,
      dut("small"),
      { seed },
      async b => {
        const { seen } = await life(b, "small", 1500);
        expect(Math.min(seen.starts, seen.finished)).toBeGreaterThan(50);
      },
    );
  bench("full: the same at full size", dut("full"), { seed: 7 }, async b => {
    const { seen } = await life(b, "full", 2000);
    expect(Math.min(seen.starts, seen.finished, seen.dropped)).toBeGreaterThan(50);
  });
});
