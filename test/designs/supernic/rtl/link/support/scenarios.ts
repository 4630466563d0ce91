/** What happens to one end: each is a bench of its own, and finds planted faults. */
import { expect } from "vitest";
import { quantaToCycles, refreshCycles } from "../../../../../../designs/supernic/rtl/link/index.ts";
import { ahead } from "../../../../../../designs/supernic/model/index.ts";
import { linkKind, readPfc, snicEtherType, takeApart } from "../../../../../../designs/supernic/wire/index.ts";
import { bernoulli, bursts } from "../../../../../../sim/index.ts";
import type { EndBench } from "./hardware-end.ts";
import type { ParameterSet } from "./link-end.ts";
import { PortRig } from "./port-rig.ts";

const isPfc = ({ bytes }: { readonly bytes: Uint8Array }): boolean =>
  (((bytes[12] ?? 0) << 8) | (bytes[13] ?? 0)) === snicEtherType.macControl;
const linkOf = (bytes: Uint8Array) => {
  const { link } = takeApart(bytes);
  if (!link) throw new Error("a frame without a link shim");
  return link;
};
const kindOf = (bytes: Uint8Array): string =>
  Object.entries(linkKind).find(([, kind]) => kind === linkOf(bytes).kind)?.[0] ?? "none";

export async function everyLength(b: EndBench, set: ParameterSet): Promise<void> {
  const r = b.random,
    rig = new PortRig(b, set, { reliable: false, mac: bursts({ go: 9, pause: 5 }, r.word()) });
  for (let i = 0; i < 400; i++)
    rig.give(r.chance(0.02) ? rig.p.frameBytes + 65 : r.between(14, rig.p.frameBytes), {
      lane: r.chance(0.5) ? 0 : 1,
      marked: r.chance(0.1),
    });
  await rig.done();
  expect(rig.end.counts.long).toBeGreaterThan(0);
  expect(rig.end.broken).toBeGreaterThan(0);
  expect(rig.out).toHaveLength(rig.end.counts.done);
}

export async function nackAndSilence(b: EndBench): Promise<void> {
  const rig = new PortRig(b, "small", { reliable: true });
  let base = 0;
  for (let offset = -6; offset <= 6; offset++)
    for (const kind of ["ack", "nack"] as const) {
      const from = b.cycle;
      for (let i = 0; i < 3; i++) rig.give(100);
      // The frames are in by now; the timer runs from the first.
      const acked = offset % 2 === 0 ? 0 : 1;
      rig.answer(base + acked, kind, from + rig.p.resendCycles + offset);
      await b.cycles(rig.p.resendCycles + 40);
      const last = rig.numbers.at(-1);
      expect(last).toBe(base + 2);
      base += 3;
      rig.answer(base);
      await rig.done();
    }
  expect(rig.end.counts.timedOut).toBeGreaterThan(0);
  expect(rig.end.counts.nacked).toBeGreaterThan(0);
}

/** The partner acknowledges and misses whatever he likes of what has left, while more comes into what is free. */
export async function overtaking(b: EndBench): Promise<void> {
  const r = b.random,
    rig = new PortRig(b, "small", { reliable: true, mac: bernoulli(0.5, r.word()) });
  const sent = (): number => Math.max(-1, ...rig.numbers.slice(-40)) + 1;
  let acked = 0,
    stays = 0;
  for (let round = 0; round < 1500; round++) {
    if (rig.end.lanes.some(l => l.pending < 6)) rig.give(r.between(60, 192), { lane: r.chance(0.5) ? 0 : 1 });
    // Not back to the same one too often: that would be the end.
    const before = acked;
    acked = stays < 5 && r.chance(0.3) ? acked : r.between(acked, sent());
    stays = acked > before ? 0 : stays + 1;
    rig.answer(acked, stays < 5 && acked < sent() && r.chance(0.4) ? "nack" : "ack");
    await b.cycles(r.between(1, 8));
  }
  while (!rig.end.idle) {
    rig.answer(sent());
    await b.cycles(5);
  }
  await rig.done();
  expect(rig.end.counts).toMatchObject({ falseAck: 0, lost: 0 });
}
/** When ACK and NACK leave: the counts and times of the page. */
export async function answers(b: EndBench): Promise<void> {
  const rig = new PortRig(b, "small", { reliable: true }),
    { ackEvery, ackCycles } = rig.p;
  let room = true;
  rig.end.hasRoom = () => room;
  let next = 0;
  /** What leaves within so many cycles, of `count` frames from number `n` on. */
  const after = async (n: number, count: number, cycles: number): Promise<readonly string[]> => {
    rig.out.splice(0);
    for (let i = 0; i < count; i++) rig.data(n + i);
    next = Math.max(next, n + count);
    await b.cycles(cycles);
    return rig.out.map(f => `${kindOf(f.bytes)} ${ahead(linkOf(f.bytes).ack, rig.number(0))}`);
  };
  const soon = 12;
  expect(await after(0, 1, ackCycles - 2)).toEqual([]);
  expect(await after(1, 0, soon)).toEqual(["ack 1"]);
  expect(await after(1, ackEvery - 1, soon)).toEqual([]);
  expect(await after(ackEvery, 1, soon)).toEqual([`ack ${ackEvery + 1}`]);
  const base = ackEvery + 1;
  expect(await after(0, 1, soon)).toEqual([`ack ${base}`]);
  expect(await after(base + 1, 1, soon)).toEqual([`nack ${base}`]);
  expect(await after(base + 2, 3, soon)).toEqual([]);
  expect(await after(base, 1, ackCycles + soon)).toEqual([`ack ${base + 1}`]);
  // A bad FCS, and then what follows it; the NACK tells once.
  rig.end.comes({ bytes: new Uint8Array(60), bad: true });
  expect(await after(base + 2, 2, soon)).toEqual([`nack ${base + 1}`]);
  expect(await after(base + 1, 1, ackCycles + soon)).toEqual([`ack ${base + 2}`]);
  // No room: once as if it were lost, then a sign of life.
  room = false;
  expect(await after(base + 2, 1, soon)).toEqual([`nack ${base + 2}`]);
  expect(await after(base + 2, 1, soon)).toEqual([`ack ${base + 2}`]);
  room = true;
  expect(await after(base + 2, 1, ackCycles + soon)).toEqual([`ack ${base + 3}`]);
  expect(await after(0, 0, 4 * ackCycles)).toEqual([]);
  // A frame that leaves takes the ACK with it.
  rig.give(60);
  expect(await after(base + 3, 1, soon)).toHaveLength(1);
  rig.answer(1);
  await rig.done();
}
export async function beginsAnew(b: EndBench): Promise<void> {
  const rig = new PortRig(b, "small", { reliable: true, mac: bernoulli(0.4, b.random.word()) });
  for (let round = 0; round < 60; round++) {
    for (let i = 0; i < 6; i++) rig.give(b.random.between(14, 192), { lane: b.random.chance(0.5) ? 0 : 1 });
    await b.cycles(b.random.between(1, 40));
    await rig.restart();
  }
  rig.give(60);
  await b.until(() => b.io.down.num === 1);
  await rig.done();
}

export async function resetBeside(b: EndBench): Promise<void> {
  const rig = new PortRig(b, "small", { reliable: true, mac: bernoulli(0.4, b.random.word()) });
  for (let round = 0; round < 40; round++) {
    for (let i = 0; i < 12; i++) rig.give(b.random.between(14, 192), { lane: b.random.chance(0.5) ? 0 : 1 });
    rig.pause({ 1: 200 });
    b.io.full.value = b.random.between(0, 63);
    await b.cycles(b.random.between(1, 60));
    b.io.full.value = 0;
    rig.reset();
    await b.cycles(1);
    expect(b.io.paused.num).toBe(0);
  }
  for (let i = 0; i < 8; i++) rig.give(64);
  await b.until(() => rig.numbers.length === 8);
  rig.answer(8);
  await rig.done();
}

export async function pauseFrames(b: EndBench, set: ParameterSet = "full"): Promise<void> {
  const rig = new PortRig(b, set, { reliable: set === "full", mac: bernoulli(0.2, b.random.word()) });
  for (let i = 0; i < 40; i++) rig.give(rig.p.frameBytes);
  await b.cycles(50);
  const from = b.cycle;
  b.io.full.value = 0b000101;
  await b.until(() => rig.out.some(isPfc));
  // It passes what waits: only the frame at hand is in front.
  expect(b.cycle - from).toBeLessThan(60);
  await b.cycles(3 * refreshCycles(rig.p) + 200);
  const seen = rig.out.filter(isPfc);
  expect(seen).toHaveLength(4);
  for (const f of seen) expect(readPfc(f.bytes)).toEqual({ 0: rig.p.pauseQuanta, 2: rig.p.pauseQuanta });
  b.io.full.value = 0b000001;
  await b.until(() => rig.out.filter(isPfc).length === 5);
  expect(readPfc(rig.out.filter(isPfc)[4]?.bytes ?? new Uint8Array())).toEqual({ 0: rig.p.pauseQuanta, 2: 0 });
  b.io.full.value = 0;
  await b.cycles(2 * refreshCycles(rig.p));
  expect(
    rig.out
      .filter(isPfc)
      .map(f => readPfc(f.bytes))
      .slice(5),
  ).toEqual([{ 0: 0 }]);
}

export async function flutters(b: EndBench, set: ParameterSet = "full"): Promise<void> {
  const rig = new PortRig(b, set, { reliable: false });
  for (let cycle = 0; cycle < 5000; cycle++) {
    b.io.full.value = b.random.between(0, 63);
    await b.cycles(1);
  }
  const frames = rig.out.filter(isPfc).length;
  expect(frames).toBeGreaterThan(20);
  expect(frames).toBeLessThanOrEqual(Math.ceil(5000 / 256) * 7);
  // The partner knows at the end how things stand.
  b.io.full.value = 0b110000;
  await b.cycles(600);
  const told: Record<number, number> = {};
  for (const f of rig.out.filter(isPfc)) Object.assign(told, readPfc(f.bytes));
  expect(Object.keys(told).filter(c => (told[Number(c)] ?? 0) > 0)).toEqual(["4", "5"]);
}

export async function partnersPauses(b: EndBench, set: ParameterSet = "full"): Promise<void> {
  const rig = new PortRig(b, set, { reliable: false });
  for (const quanta of [1, 2, 10, 1000]) {
    rig.pause({ 3: quanta });
    await b.until(() => b.io.paused.num === 8);
    const from = b.cycle;
    await b.until(() => b.io.paused.num === 0);
    expect(Math.abs(b.cycle - from - quantaToCycles(quanta))).toBeLessThan(quantaToCycles(1) + 1);
  }
  rig.pause({ 0: 5000, 7: 5000 });
  await b.cycles(20);
  expect(b.io.paused.num).toBe(0x81);
  rig.pause({ 0: 0 });
  await b.cycles(5);
  expect(b.io.paused.num).toBe(0x80);
}

export async function goesDown(b: EndBench, how: "silence" | "nacks"): Promise<void> {
  const rig = new PortRig(b, "small", { reliable: true, mac: bernoulli(0.3, b.random.word()) });
  for (let round = 0; round < 6; round++) {
    for (let i = 0; i < 20; i++) rig.give(b.random.between(14, 192), { lane: b.random.chance(0.5) ? 0 : 1 });
    for (let cycle = 0; b.io.down.num === 0; cycle++) {
      if (how === "nacks" && cycle % 20 === 0) rig.answer(0, "nack");
      await b.cycles(1);
    }
    // More comes, also while it goes down.
    for (let i = 0; i < 20; i++) rig.give(b.random.between(14, 192), { lane: b.random.chance(0.5) ? 0 : 1 });
    await rig.done();
    expect(b.io.room.num).toBe(1);
    expect(rig.end.counts).toMatchObject({ done: round * 8 });
    const silent = rig.end.txBeats;
    await b.cycles(400);
    expect(rig.end.txBeats).toBe(silent);
    await rig.restart();
    expect(b.io.down.num).toBe(0);
    // Nothing is under way: what was sent before is forgotten.
    const { falseAck } = rig.end.counts;
    rig.answer(5);
    await b.cycles(6);
    expect(rig.end.counts.falseAck).toBe(falseAck + 1);
    // As many frames as there are places are there again: none has leaked.
    for (let i = 0; i < 9; i++) rig.give(60);
    await b.until(() => rig.numbers.length === 8);
    await b.cycles(20);
    expect(rig.end.lanes[0].pending).toBe(1);
    rig.answer(8);
    await b.until(() => rig.end.lanes[0].pending === 0);
    // The ninth goes down with the next ones.
  }
}

export async function silence(b: EndBench, set: ParameterSet = "full"): Promise<void> {
  const rig = new PortRig(b, set, { reliable: true });
  rig.give(60);
  rig.give(60);
  await b.until(() => b.io.down.num === 1);
  const [entered = 0] = rig.end.cycles.into,
    { resendCycles, tries } = rig.p;
  expect(rig.end.counts.timedOut).toBe(tries);
  const due = entered + (tries + 1) * resendCycles;
  expect(b.cycle - due).toBeGreaterThanOrEqual(0);
  expect(b.cycle - due).toBeLessThan(10 * (tries + 2));
  await rig.done();
  expect(rig.end.counts.lost).toBe(2);
}

export async function fullRing(b: EndBench): Promise<void> {
  const rig = new PortRig(b, "jumbo", { reliable: true });
  for (let i = 0; i < 1100; i++) rig.give(60, { lane: i % 2 === 0 ? 0 : 1 });
  await b.until(() => rig.numbers.length === 1024);
  await b.cycles(50);
  expect(rig.end.taking).toBe(1024);
  expect(b.io.room.num).toBe(0);
  // One that is not under way, one too many, and the same again: nothing happens.
  rig.answer(1025);
  rig.answer(0);
  await b.cycles(10);
  expect(rig.end.counts).toMatchObject({ done: 0, falseAck: 1 });
  rig.answer(1024);
  await b.until(() => rig.end.counts.done === 1024);
  await b.until(() => rig.numbers.length === 1100);
  rig.answer(1100);
  await rig.done();
}
