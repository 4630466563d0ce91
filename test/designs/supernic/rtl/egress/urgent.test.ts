/** A class that leaves first: whom it passes, how often, and that nobody waits for ever. */
import { describe, expect, test } from "vitest";
import type { Bench, Dut } from "../../../../../sim/index.ts";
import { runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { dut, EgressRig, type Ports } from "./support/egress-rig.ts";

type B = Bench<Ports>;
const patience = 64,
  /** Packets that are chosen before the count of those that passed is seen. */
  late = 3,
  port = 1,
  others = [0, 1, 3] as const,
  urgent = 2;

/** Users 0 to 3 have their own classes, and every packet goes to one port. */
async function rigOf(b: B, first: number | undefined): Promise<EgressRig> {
  const rig = new EgressRig(b, "small");
  rig.dags[0] = { way: "port", port, keepShim: false };
  rig.classes.forEach((_, i) => (rig.classes[i] = i % 4));
  rig.urgent = first;
  await rig.tables();
  return rig;
}
/** Keeps so many packets of each class waiting, until `count` frames have left. @returns their classes, in order */
async function backlog(
  b: B,
  rig: EgressRig,
  want: Readonly<Record<number, number>>,
  count: number,
  bytes = 64,
): Promise<number[]> {
  const from = rig.order.length;
  while (rig.order.length - from < count) {
    for (const [k, n] of Object.entries(want))
      while (rig.free > 2 && rig.waitingIn(port, Number(k)) < n) rig.finish(rig.plain(bytes, 0, Number(k)));
    await b.cycles(1);
  }
  await rig.end();
  return rig.order.slice(from, from + count).map(o => o.class);
}
/** Lengths of the runs of packets of the urgent class, and of others, without those at the two ends. */
function runsOf(order: readonly number[], k: number): { readonly own: number[]; readonly other: number[] } {
  const runs: { readonly own: boolean; length: number }[] = [];
  for (const c of order) {
    const last = runs.at(-1);
    if (last?.own === (c === k)) last.length++;
    else runs.push({ own: c === k, length: 1 });
  }
  const inner = runs.slice(1, -1);
  return { own: inner.filter(r => r.own).map(r => r.length), other: inner.filter(r => !r.own).map(r => r.length) };
}

/** A burst leaves as one, although all other classes wait: it passes all but those that were chosen already. */
async function bursts(b: B): Promise<void> {
  const rig = await rigOf(b, urgent);
  for (let round = 0; round < 12; round++) {
    for (const k of others) for (let i = 0; i < 6; i++) rig.finish(rig.plain(b.random.pick([64, 400]), 0, k));
    await b.cycles(b.random.between(10, 40));
    const before = rig.order.length,
      own = b.random.between(1, 6);
    for (let i = 0; i < own; i++) rig.finish(rig.plain(64, 0, urgent));
    await rig.finished.drained();
    await rig.end();
    const order = rig.order.slice(before).map(o => o.class),
      at = order.indexOf(urgent);
    // One is on its way, one promised to the port, one its next, and one was chosen as it came.
    expect(at, order.join()).toBeLessThanOrEqual(5);
    expect(order.slice(at, at + own), order.join()).toEqual(Array.from({ length: own }, () => urgent));
  }
}
/** Everybody always has a packet: of so many of the first class that pass, another one goes, in turns. */
async function starves(b: B): Promise<void> {
  const rig = await rigOf(b, urgent);
  // Of long packets the count is seen in time, and only one of the others goes: the turns among them must stand.
  for (const [bytes, over] of [
    [64, late],
    [500, 1],
  ] as const) {
    const order = await backlog(b, rig, { [urgent]: 6, 0: 2, 1: 2, 3: 2 }, 800, bytes),
      { own, other } = runsOf(order, urgent);
    expect(Math.max(...own)).toBeLessThanOrEqual(patience + over);
    expect(Math.min(...own)).toBeGreaterThanOrEqual(patience);
    expect(Math.max(...other)).toBeLessThanOrEqual(over);
    const counts = others.map(k => order.filter(c => c === k).length);
    expect(Math.max(...counts) - Math.min(...counts), counts.join()).toBeLessThanOrEqual(late);
    expect(Math.min(...counts)).toBeGreaterThan(2);
  }
}
/** What nobody waited for does not count: who comes then waits for all that may pass. */
async function alone(b: B): Promise<void> {
  const rig = await rigOf(b, urgent);
  await backlog(b, rig, { [urgent]: 6 }, 3 * patience);
  for (let round = 0; round < 3; round++) {
    const order = await backlog(b, rig, { [urgent]: 8, 1: 8 }, 4 * patience),
      { own } = runsOf(order, urgent);
    expect(own.length).toBeGreaterThan(1);
    for (const n of own) {
      expect(n).toBeGreaterThanOrEqual(patience);
      expect(n).toBeLessThanOrEqual(patience + late);
    }
    // Just before its patience is over, nobody waits any more.
    await backlog(b, rig, { [urgent]: 6 }, 2 * patience);
  }
}
/** Paused, it holds nobody up; open again, it goes first. */
async function pausedFirst(b: B): Promise<void> {
  const rig = await rigOf(b, urgent);
  rig.setPaused(port, 1 << urgent);
  await b.cycles(2);
  for (let i = 0; i < 6; i++) rig.finish(rig.plain(64, 0, urgent));
  for (const k of others) for (let i = 0; i < 5; i++) rig.finish(rig.plain(64, 0, k));
  await b.cycles(100);
  expect(others.map(k => rig.waitingIn(port, k))).toEqual([0, 0, 0]);
  expect(rig.waitingIn(port, urgent)).toBeGreaterThanOrEqual(5);
  rig.setPaused(port, 0);
  await rig.end();
}
/** Without a first class, and with one that is not there, all have equal turns. */
async function turns(b: B): Promise<void> {
  const rig = await rigOf(b, undefined);
  for (const first of [undefined, 3]) {
    rig.urgent = first;
    rig.setConfig();
    await b.cycles(4);
    const order = await backlog(b, rig, { 0: 3, 1: 3, 2: 3 }, 150),
      counts = [0, 1, 2].map(k => order.filter(c => c === k).length);
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(3);
  }
}
/** A reset while it holds others up: they go at once. And its count begins anew. */
async function resets(b: B): Promise<void> {
  const rig = await rigOf(b, urgent);
  for (let round = 0; round < 12; round++) {
    // Behind a reset in which others waited, nothing of its count is left.
    const free = 12;
    for (let sent = 0; sent < 30 + 5 * round;) {
      while (rig.free > free && rig.waitingIn(port, urgent) < 6) {
        rig.finish(rig.plain(64, 0, urgent));
        sent++;
      }
      while (rig.waitingIn(port, 0) < 2) rig.finish(rig.plain(64, 0, 0));
      await b.cycles(1);
    }
    rig.reset();
    await b.cycles(2);
    if (round % 2 === 0) {
      const from = b.cycle;
      rig.finish(rig.plain(64, 0, 0));
      await rig.end();
      expect((rig.order.at(-1)?.start ?? NaN) - from).toBeLessThanOrEqual(10);
    } else {
      // The first that is chosen passes one already: nothing else begins the count anew.
      rig.setRoom(0);
      for (const k of [urgent, 0, ...Array.from({ length: 8 }, () => urgent), 0]) rig.finish(rig.plain(64, 0, k));
      await b.cycles(20);
      rig.setRoom(0b111);
      const order = await backlog(b, rig, { [urgent]: 8, 0: 4 }, 2 * patience + 20),
        [first = 0] = runsOf([0, ...order], urgent).own;
      expect(first, order.join()).toBeGreaterThanOrEqual(patience);
    }
  }
}
/** The rate is that of packets of one class, whichever of them wait. */
async function rates(b: B): Promise<void> {
  const rig = await rigOf(b, urgent);
  const cyclesOf = async (want: Readonly<Record<number, number>>): Promise<number> => {
    const from = rig.order.length;
    await backlog(b, rig, want, 200);
    return ((rig.order[from + 199]?.start ?? NaN) - (rig.order[from]?.start ?? NaN)) / 199;
  };
  for (const want of [{ [urgent]: 8 }, { [urgent]: 10, 0: 6, 1: 6 }, { [urgent]: 2, 0: 6, 1: 6 }]) {
    rig.urgent = undefined;
    rig.setConfig();
    await b.cycles(4);
    const without = await cyclesOf(want);
    rig.urgent = urgent;
    rig.setConfig();
    await b.cycles(4);
    const first = await cyclesOf(want);
    expect(first).toBeLessThanOrEqual(without * 1.02);
  }
}

const faults: readonly (readonly [string, string | RegExp, string])[] = [
  ["it goes first for ever", /wire urgent_1_over = [^;]*;/, "wire urgent_1_over = 1'b0;"],
  ["its patience is half", /wire urgent_1_over = urgent_1_passed\[6\];/, "wire urgent_1_over = urgent_1_passed[5];"],
  ["it is in nobody's front", /wire urgent_1_hold = [^;]*;/, "wire urgent_1_hold = 1'b0;"],
  ["it does not yield", /wire urgent_1_yields = [^;]*;/, "wire urgent_1_yields = 1'b0;"],
  ["turns move while others are held", /& ~urgent_1_held\) class_1_last/, ") class_1_last"],
  ["it counts when nobody waits", /wire urgent_1_others = [^;]*;/, "wire urgent_1_others = 1'b1;"],
  ["it holds others though it is paused", /waits_1_2 = some_1_2 & leaves_1_2/, "waits_1_2 = some_1_2"],
  ["its count outlives a reset", /urgent_1_passed <= 7'd0;\s*else/, "urgent_1_passed <= urgent_1_passed;\n    else"],
];

describe("Egress, with a class that leaves first", () => {
  bench("a burst leaves as one", dut("small"), { seed: 1 }, bursts);
  bench("others have their turn, in both directions of the bound", dut("small"), { seed: 2 }, starves);
  bench("what nobody waited for does not count", dut("small"), { seed: 3 }, alone);
  bench("a first class that is paused", dut("small"), { seed: 4 }, pausedFirst);
  bench("equal turns without one", dut("small"), { seed: 5 }, turns);
  bench("resets", dut("small"), { seed: 6 }, resets);
  bench("rates", dut("small"), { seed: 7 }, rates);

  describe("a planted fault is found", () => {
    const look = async (name: string, design: Dut<Ports>): Promise<void> => {
      for (const [i, run] of [bursts, starves, alone, pausedFirst, turns, resets, rates].entries())
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
