import { describe, expect, it } from "vitest";
import { Cores, type CoreUse, type Stage, stages } from "../../../designs/aifm/client/index.ts";
import { Random, SimulatedTime } from "../../../sim/index.ts";

const times = { switchNs: 10, completeNs: 5 };

/** Threads on cores in front of a node that answers after `wait` ns. */
async function run(stage: Stage, o: { cores: number; threads: number; each: number; wait: (r: Random) => number }) {
  const time = new SimulatedTime(),
    random = new Random(3),
    cores = new Cores(time, stage, o.cores, times);
  const sleep = (ns: number): Promise<void> =>
    new Promise<void>(done => {
      time.after(ns, done);
    });
  const thread = async (): Promise<void> => {
    await cores.enter();
    for (let i = 0; i < o.each; i++) {
      await cores.work(100);
      await cores.remote(() => sleep(o.wait(random)));
    }
    cores.leave();
  };
  await time.run(Promise.all(Array.from({ length: o.threads }, thread)));
  return { use: cores.use(), passed: time.now() };
}
const sum = (use: CoreUse): number => use.work + use.switches + use.polling + use.handling + use.free;

describe("Cores", () => {
  it.each(stages.flatMap(stage => [1, 3, 16].map(threads => [stage, threads] as const)))(
    "%s, %d threads: every ns of every core is counted once, and none is below zero",
    async (stage, threads) => {
      const { use, passed } = await run(stage, { cores: 2, threads, each: 20, wait: r => r.between(50, 900) });
      expect(sum(use)).toBeCloseTo(2 * passed, 6);
      for (const [what, ns] of Object.entries(use)) expect(ns, what).toBeGreaterThanOrEqual(0);
      expect(use.work).toBe(threads * 20 * 100);
    },
  );
  it("a thread that polls spends its whole wait on it", async () => {
    const { use, passed } = await run("thread", { cores: 1, threads: 3, each: 4, wait: () => 700 });
    expect(use.polling).toBe(3 * 4 * 700);
    expect(passed).toBe(3 * 4 * (100 + 700 + times.completeNs));
  });
  it("with the scheduler's core other threads work meanwhile", async () => {
    const { use, passed } = await run("scheduler", { cores: 1, threads: 8, each: 10, wait: () => 700 });
    expect(use.polling).toBe(0);
    // The core is full but for the first wait and the last one.
    expect(passed).toBeLessThan(8 * 10 * (100 + times.switchNs) + 2 * 700);
  });
  it("one poller handles one completion behind the other", async () => {
    const { use } = await run("runtime", { cores: 9, threads: 8, each: 1, wait: () => 700 });
    expect(use.handling).toBe(8 * times.completeNs);
    expect(use.polling).toBe(100 + 700 + 8 * times.completeNs + times.switchNs - use.handling);
  });
  it("one core cannot be shared with a thread that polls for all", () => {
    expect(() => new Cores(new SimulatedTime(), "runtime", 1, times)).toThrow(
      "1 core with a thread that polls for all",
    );
  });
});
