/**
 * Slots that are emptied as patience ends: a session begins anew in each cycle around the one in which its last slot is
 * found old. What waited is dropped once, and each slot and each lane comes back once.
 */
import { describe, expect, test } from "vitest";
import { GbnReorder, type GbnReorderParameters } from "../../../../../designs/shared/go-back-n/rtl/reorder.ts";
import {
  AxisSink,
  AxisSource,
  type Bench,
  type Dut,
  runBench,
  StreamSink,
  StreamSource,
} from "../../../../../sim/index.ts";
import { findsFault, plant } from "../../../../support/plant.ts";

type Ports = ReturnType<typeof GbnReorder>["ports"];
const sets: readonly GbnReorderParameters[] = [
  { sessions: 4, metaBits: 8, beatBytes: 8, frameBytes: 64, waiting: 4, first: 0xfffe, patience: 256 },
  { sessions: 2, metaBits: 8, beatBytes: 16, frameBytes: 64, waiting: 8, first: 3, patience: 512 },
];

async function sweep(b: Bench<Ports>, p: GbnReorderParameters): Promise<void> {
  const replies = new StreamSource(b.sim, b.io.reply),
    beats = new AxisSource(b.sim, b.io.beats),
    control = new StreamSource(b.sim, b.io.control),
    out = new StreamSink(b.sim, b.io.out),
    frames = new AxisSink(b.sim, b.io.outBeats);
  const reply = (i: number, life: number): void => {
    replies.send({ ordered: 1, turn: { session: 1, life, ticket: (p.first + i) % 2 ** 16 }, meta: i });
    beats.send(new Uint8Array(9).fill(i));
  };
  /** All slots are taken by one session, `phase` cycles after a reset. @returns when that was so */
  const fill = async (phase: number): Promise<number> => {
    b.sim.reset();
    out.received.length = 0;
    frames.frames.length = 0;
    await b.cycles(phase);
    for (let i = 1; i <= p.waiting; i++) reply(i, 0);
    await b.until(() => replies.pending === 0);
    return b.cycle;
  };
  /** It begins anew `wait` cycles later; then as many wait anew as there are slots, and leave in order. */
  const once = async (phase: number, wait: number): Promise<void> => {
    await fill(phase);
    await b.cycles(wait);
    control.send({ session: 1, open: 1 });
    await b.until(() => control.pending === 0);
    await b.cycles(10 + 3 * p.waiting);
    const left = out.received.length;
    for (let i = p.waiting; i >= 0; i--) reply(i, 1);
    await b.until(() => out.received.length === left + p.waiting + 1 && frames.frames.length === out.received.length);
    await b.cycles(20);
    expect(
      out.received.slice(left).map(r => Number(r.value)),
      `phase ${phase}, ${wait} cycles`,
    ).toEqual(Array.from({ length: p.waiting + 1 }, (_, i) => i));
    expect(b.io.crowded.value).toBe(0);
  };
  const visit = p.patience / p.waiting,
    start = Math.max(p.sessions, p.waiting) + 4;
  for (let slot = 0; slot < p.waiting; slot++) {
    const phase = start + slot * visit,
      from = await fill(phase);
    await b.until(() => out.received.length === p.waiting);
    await b.cycles(20);
    const ends = b.cycle - from;
    // They leave one after the other once the first of them is found old; the flush takes two cycles for each slot.
    for (let wait = ends - 20 - 14 * p.waiting; wait <= ends; wait++) await once(phase, wait);
  }
}
const run = (p: GbnReorderParameters, design: Dut<Ports>): Promise<void> =>
  runBench("patience", design, { wave: false, seed: 1, hangCycles: 5000, limitCycles: 2_000_000 }, b => sweep(b, p));

describe.each(sets)("GbnReorder with $waiting slots", p => {
  test("a session begins anew in each cycle around its end of patience", () => run(p, GbnReorder(p)));
  test("a planted fault: a slot that has been emptied is asked for", () =>
    findsFault(run(p, plant(GbnReorder(p), /& impatient & probed/, "& impatient"))));
});
