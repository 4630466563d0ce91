// Run with --expose-gc as a process of its own by traps.test.ts, where nothing else moves its memory. Prints by how
// many bytes it grew over 100 models of 1 MB that were freed, and over 100 that were kept.
import { simulate } from "../../../sim/index.ts";
import { megabyte } from "../designs/hand-written.ts";

const collect = (globalThis as { gc?: () => void }).gc as () => void;
const resident = async (): Promise<number> => {
  for (let i = 0; i < 3; i++) {
    collect();
    await new Promise(r => {
      setImmediate(r);
    });
  }
  return process.memoryUsage().rss;
};
const kept: unknown[] = [];
const growth = async (n: number, free: boolean): Promise<number> => {
  const before = await resident();
  for (let i = 0; i < n; i++) {
    const sim = await simulate(megabyte, { seed: i + 1 });
    sim.step(3);
    if (free) sim.free();
    else kept.push(sim);
  }
  return (await resident()) - before;
};
await growth(20, true);
console.log(JSON.stringify({ freed: await growth(100, true), held: await growth(100, false), kept: kept.length }));
