/** Replication: each packet and each copy as the model says, its figures, its bounds, and what time and resets do. */
import { describe, expect, it } from "vitest";
import { replicate } from "../../../../../../designs/supernic/rtl/tasks/index.ts";
import { bernoulli, runBench } from "../../../../../../sim/index.ts";
import { type B, replicaDut } from "./support/rig.ts";
import { replicaWorld } from "./support/world.ts";
import { agesRun, mixedRun, rates, resetRun, stoppedRun } from "./support/runs.ts";

const run = <T>(name: string, body: (b: B) => Promise<T>): Promise<T> =>
  runBench(
    `replicate ${name}`,
    replicaDut,
    { seed: 3, wave: false, limitCycles: 2_000_000, hangCycles: 200_000 },
    body,
  );

describe("replication", () => {
  it("answers, copies and replies are as the model says; every place can be had in the end", async () => {
    const seen = await run("mixed", b => mixedRun(b, 900, () => bernoulli(0.15, b.random.word())));
    expect(seen.copied).toBeGreaterThan(200);
    expect(seen.answered).toBeGreaterThan(50);
    expect(seen.strays).toBeGreaterThan(30);
    expect(seen.refused).toBeGreaterThan(30);
  });
  it("a place is given back by time: not before its life, and soon behind it", () => run("ages", agesRun));
  it("a reset: what was asked before it is nobody's", () => run("reset", resetRun));
  it("the way out is stopped: 16 requests are kept, the others refused, and what wants no copies goes on", async () => {
    const { forwarded, copies } = await run("stopped", stoppedRun);
    expect(forwarded).toBe(40);
    expect(copies).toEqual(Array.from({ length: 32 }, (_, i) => 10 * Math.floor(i / 2) + 1 + (i % 2)));
  });
  it("ways that lose and double: what was answered is at every node; repetitions do nothing twice", async () => {
    const seen = await run("world", b => replicaWorld(b, { operations: 150, lost: 0.1, doubled: 0.1, resets: 60 }));
    expect(seen.givenUp).toBe(0);
    expect(seen.again).toBeGreaterThan(20);
    expect(seen.resets).toBe(2);
  });
  it("a node that falls silent: nothing is answered from then on, what was is at the other nodes", async () => {
    const seen = await run("silent", b =>
      replicaWorld(b, { operations: 90, lost: 0.02, doubled: 0.05, silentAfter: 60 }),
    );
    expect(seen.silent).toBeGreaterThan(20);
    expect(seen.givenUp).toBeGreaterThan(20);
  });
  it("latency and intervals are as declared", async () => {
    const seen = await run("rates", rates),
      { latency, interval } = replicate.declared;
    console.log(`replication: ${JSON.stringify(seen)}`);
    expect(seen.others).toEqual({ latency, interval });
    expect(seen.requests).toEqual({ latency, interval: 2 });
    expect(seen.replies).toEqual({ latency, interval: 2 });
    expect(seen.frame).toBe(seen.beats + 1);
  });
});
