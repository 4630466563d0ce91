import { describe, expect, test } from "vitest";
import { type Bench, bernoulli, bursts, type Dut, type Pause, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { dut, EgressRig, type Ports, type Size } from "./support/egress-rig.ts";

type B = Bench<Ports>;
const pauses = (b: B) => ({
  from: (): Pause => bernoulli(0.2, b.random.word()),
  to: (): Pause => bursts({ go: 20, pause: 8 }, b.random.word()),
  late: (): Pause => bernoulli(0.2, b.random.word()),
});
async function traffic(b: B, size: Size, count: number, paused = true): Promise<EgressRig> {
  const rig = new EgressRig(b, size, paused ? pauses(b) : {});
  await rig.tables();
  await rig.send(count);
  await rig.end();
  return rig;
}
/** Rooms and pauses that change all the time, none of them for long. */
async function changing(b: B, count = 250): Promise<EgressRig> {
  const rig = new EgressRig(b, "small", pauses(b)),
    all = (1 << (rig.p.ports + 1)) - 1;
  await rig.tables();
  const change = b.spawn(async () => {
    for (;;) {
      rig.setRoom(b.random.chance(0.3) ? all : b.random.between(0, all));
      for (let q = 0; q < rig.p.ports; q++) rig.setPaused(q, b.random.chance(0.5) ? 0 : b.random.between(0, 255));
      await b.cycles(b.random.between(1, 40));
      for (let q = 0; q < rig.p.ports; q++) rig.setPaused(q, 0);
      await b.cycles(b.random.between(1, 10));
    }
  });
  await rig.send(count);
  await b.cycles(2_000);
  change.cancel();
  await b.cycles(1);
  rig.setRoom(all);
  for (let q = 0; q < rig.p.ports; q++) rig.setPaused(q, 0);
  await rig.end();
  return rig;
}
async function resets(b: B): Promise<void> {
  const rig = new EgressRig(b, "small", pauses(b));
  await rig.tables();
  for (let round = 0; round < 15; round++) {
    for (let i = 0; i < 25; i++) rig.finish(rig.random());
    await b.cycles(b.random.between(3, 120));
    rig.reset();
  }
  await rig.send(40);
  await rig.end();
}
const toPort = (rig: EgressRig, port: number): number => {
  rig.dags[0] = { way: "port", port, keepShim: false };
  return 0;
};
/** A class that is paused holds up nobody else; after its time what it has is dropped, until it opens. */
async function pausedForLong(b: B): Promise<void> {
  const rig = new EgressRig(b, "small"),
    dag = toPort(rig, 1);
  rig.classes.forEach((_, i) => (rig.classes[i] = i % 4));
  await rig.tables();
  const time = rig.p.pauseCycles,
    part = time / 16;
  for (let round = 0; round < 3; round++) {
    const before = rig.counts.paused;
    // At any place of the parts in which the time is counted.
    await b.cycles(b.random.between(1, 2 * part));
    rig.setPaused(1, 0b0100);
    await b.cycles(1);
    const from = b.cycle;
    for (let i = 0; i < 4; i++) rig.finish(rig.plain(200, dag, 2));
    // One packet of the class was the port's next already, when one has been; the others wait.
    for (let i = 0; i < 4; i++) rig.finish(rig.plain(100, dag, 1));
    await b.cycles(100);
    expect(rig.waitingIn(1, 1), "packets of another class").toBe(0);
    expect(rig.waitingIn(1, 2), "packets of the class that is paused").toBe(4);
    await b.until(() => rig.counts.paused > before);
    expect(b.cycle - from).toBeGreaterThan(time);
    expect(b.cycle - from).toBeLessThan(time + part + 10);
    await b.until(() => rig.counts.paused === before + 4);
    // Those that come now are dropped at once.
    rig.finish(rig.plain(300, dag, 2));
    await b.until(() => rig.counts.paused === before + 5);
    rig.setPaused(1, 0);
    await b.cycles(4);
    rig.finish(rig.plain(300, dag, 2));
    await b.until(() => rig.waitingIn(1, 2) === 0);
    await rig.end();
  }
  // A pause that ends in time drops nothing, and the next one begins anew.
  const { paused } = rig.counts;
  for (let round = 0; round < 3; round++) {
    rig.setPaused(1, 0b0100);
    if (round === 0) for (let i = 0; i < 3; i++) rig.finish(rig.plain(200, dag, 2));
    await b.cycles(time - 4);
    rig.setPaused(1, 0);
    await b.cycles(1);
  }
  await rig.end();
  expect(rig.counts.paused).toBe(paused);
}
/** A port without room keeps its packets only; all contexts wait in one list, and leave in their order. */
async function oneListHoldsAll(b: B): Promise<void> {
  const rig = new EgressRig(b, "small"),
    dag = toPort(rig, 0);
  rig.dags[1] = { way: "port", port: 1, keepShim: false };
  await rig.tables();
  rig.setRoom(0b110);
  await b.cycles(4);
  for (let i = 0; i < rig.p.contexts - 1; i++) rig.finish(rig.plain(b.random.between(60, 300), dag, 3));
  await rig.finished.drained();
  await b.cycles(20);
  expect(rig.free).toBe(1);
  for (let i = 0; i < 20; i++) {
    await b.until(() => rig.free === 1);
    rig.finish(rig.plain(200, 1, 0));
  }
  await b.until(() => rig.free === 1);
  rig.setRoom(0b111);
  await rig.end();
}
/** No context is read or written behind its release: one list after the other is empty, and contexts are used again. */
async function fewContexts(b: B): Promise<void> {
  const rig = new EgressRig(b, "small", pauses(b));
  await rig.tables();
  for (let i = 0; i < 400; i++) {
    await b.until(() => rig.free > rig.p.contexts - b.random.between(2, 6));
    rig.finish(rig.random());
  }
  await rig.end();
}

/** What is wrong, and the text that makes it so. */
const faults: readonly (readonly [string, string | RegExp, string])[] = [];

describe("Egress", () => {
  bench("small: packets of every kind, under random pauses", dut("small"), { seed: 2 }, async b => {
    await traffic(b, "small", 300);
  });
  bench("full: the same", dut("full"), { seed: 3 }, async b => {
    await traffic(b, "full", 200);
  });
  bench("back to back", dut("full"), { seed: 4 }, async b => {
    await traffic(b, "full", 200, false);
  });
  bench("rooms and pauses that change all the time", dut("small"), { seed: 5 }, async b => {
    await changing(b);
  });
  bench("a reset in the middle of everything leaves nothing behind", dut("small"), { seed: 6 }, resets);
  bench("a class that is paused for too long, and one that is not", dut("small"), { seed: 7 }, pausedForLong);
  bench("one list holds all contexts, and nobody else waits", dut("small"), { seed: 8 }, oneListHoldsAll);
  bench("contexts that are used again at once", dut("small"), { seed: 9 }, fewContexts);

  bench("latency, and rates", dut("full"), { seed: 10 }, async b => {
    const rig = new EgressRig(b, "full");
    rig.dags.forEach((_, i) => (rig.dags[i] = { way: "port", port: i % 4, keepShim: false }));
    await rig.tables();
    rig.finish(rig.plain(64, 1));
    await rig.end();
    expect(rig.latencies).toEqual([15]);
    /** Cycles from the first to the last of so many frames. */
    const rate = async (count: number, bytes: number, ports: number): Promise<number> => {
      rig.starts.splice(0);
      let k = 0;
      await rig.send(count, () => rig.plain(bytes, k++ % ports));
      await rig.end();
      return (Math.max(...rig.starts) - Math.min(...rig.starts)) / (count - 1);
    };
    expect(await rate(400, 64, 4), "64 bytes to four ports").toBeLessThan(1.03);
    expect(await rate(300, 64, 1), "64 bytes to one port").toBeLessThan(1 / 0.6 + 0.05);
    for (const bytes of [256, 512, 1000, 1518])
      for (const ports of [1, 4])
        expect(await rate(60, bytes, ports), `${bytes} bytes to ${ports}`).toBeLessThan(Math.ceil(bytes / 64) / 0.97);
  });

  describe("a planted fault is found", () => {
    const runs: readonly ((b: B) => Promise<unknown>)[] = [
      b => traffic(b, "small", 200),
      b => changing(b, 120),
      resets,
      pausedForLong,
      oneListHoldsAll,
      fewContexts,
    ];
    const look = async (name: string, design: Dut<Ports>): Promise<void> => {
      for (const [i, run] of runs.entries())
        await runBench(`${name} ${i}`, design, { wave: false, hangCycles: 2_000, limitCycles: 60_000, seed: 4 }, run);
    };
    test("and nothing without one", async () => {
      await look("no fault", dut("small"));
    });
    for (const [name, from, to] of faults)
      test(name, async () => {
        await findsFault(look(name, plant(dut("small"), from, to)));
      });
  });
});
