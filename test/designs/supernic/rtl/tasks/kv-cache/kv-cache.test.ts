/** The KV cache: each packet as the model says, its figures, and what a slow or failing memory does to it. */
import { describe, expect, it } from "vitest";
import { KvCacheModel } from "../../../../../../designs/supernic/model/index.ts";
import { kvCache } from "../../../../../../designs/supernic/rtl/tasks/index.ts";
import type { KvPolicy } from "../../../../../../designs/supernic/wire/index.ts";
import { bernoulli, runBench } from "../../../../../../sim/index.ts";
import { type B, kvDut } from "./support/kv-rig.ts";
import { crossings, oneHit, overwriteRun, rates, replaceRun, settledRun } from "./support/kv-runs.ts";
import { kvWorld } from "./support/kv-world.ts";

const values = 64;
const run = <T>(name: string, policy: KvPolicy, body: (b: B) => Promise<T>): Promise<T> =>
  runBench(name, duts[policy], { seed: 5, wave: false, limitCycles: 6_000_000, hangCycles: 1_000_000 }, body);
const duts = { fifo: kvDut("fifo", values), lru: kvDut("lru", values) };

describe("the KV cache", () => {
  for (const policy of ["fifo", "lru"] as const)
    it(`${policy}: hits, misses and replies are as the model says, packet by packet`, async () => {
      const seen = await run(`settled ${policy}`, policy, b =>
        settledRun(b, new KvCacheModel(policy, values), 300, () => bernoulli(0.2, b.random.word())),
      );
      expect(seen.hits).toBeGreaterThan(20);
      expect(seen.forgotten).toBeGreaterThan(0);
      const replaced = await run(`replaced ${policy}`, policy, b =>
        replaceRun(b, new KvCacheModel(policy, values), 150),
      );
      expect(replaced.hits).toBeGreaterThan(30);
      expect(replaced.forwarded).toBeGreaterThan(60);
    });
  it("what crosses what: only what cannot be old is kept", async () => {
    const verdicts = await run("crossings", "lru", b => crossings(b, new KvCacheModel("lru", values)));
    // The first case after the beginning, and the last three, which are old by then.
    expect(verdicts.map((v, i) => (v === "drop" ? i : -1)).filter(i => i >= 0)).toEqual([1, 13, 14, 15]);
  });
  it("latency and interval are as it declares; a packet without a key is faster", async () => {
    const { others, reads } = await run("rates", "fifo", rates),
      { latency, interval } = kvCache("fifo", values).declared;
    console.log(
      `KV cache: reads ${reads.latency}, ${reads.interval} cycles; others ${others.latency}, ${others.interval}`,
    );
    expect(reads).toEqual({ latency, interval });
    expect(others).toEqual({ latency: 3, interval: 5 });
  });
  it("a hit: its cycles, and one access of memory", async () => {
    const { cycles, accesses } = await run("one hit", "lru", oneHit);
    console.log(`KV cache: a hit takes ${cycles} cycles beside memory and payload, and ${accesses} access of memory`);
    expect(accesses).toBe(1);
    expect(cycles).toBeLessThanOrEqual(12);
  });

  it("a value that is read is not written over: its successor waits for every hit of it", async () => {
    expect(await run("overwrite", "fifo", overwriteRun)).toBe(36);
  });
  it("linearizable with lost, doubled and overtaking frames, more keys than places, and pauses at every end", async () => {
    const seen = await run("world", "lru", b =>
      kvWorld(b, { operations: 800, latency: 30, jitter: 150, pause: () => bernoulli(0.2, b.random.word()) }),
    );
    expect(seen.hits).toBeGreaterThan(30);
    expect(seen.doubled).toBeGreaterThan(50);
    expect(seen.writes).toBeGreaterThan(30);
  });
  it("linearizable with a memory that fails, a node that loses frames, and resets in the middle", async () => {
    const seen = await run("bad world", "fifo", b =>
      kvWorld(b, { operations: 500, latency: 30, jitter: 60, failing: 12, nodeLost: 0.01, resets: 120, writes: 0.2 }),
    );
    expect(seen.hits).toBeGreaterThan(5);
    expect(seen.bad).toBeGreaterThan(0);
    expect(seen.resets).toBe(4);
  });
});
