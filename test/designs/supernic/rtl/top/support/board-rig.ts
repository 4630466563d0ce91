/** Rings and tasks on one memory: each side's own rig, over the same bus, and a watch of what each owes the other. */
import {
  AxiRam,
  type AxiRamOptions,
  type Bench,
  bernoulli,
  type Pause,
  SparseMemory,
} from "../../../../../../sim/index.ts";
import { wayBeats } from "../../../../../../designs/supernic/rtl/memory/index.ts";
import { MemoryRig } from "../../memory/support/memory-rig.ts";
import type { B as MemoryB } from "../../memory/support/rtl-driver.ts";
import { memoryFails, pagesMove, tasksGo } from "../../memory/support/runs.ts";
import { discards, failingReads, failingWrites, life } from "../../spill/support/runs.ts";
import type { B as RingB } from "../../spill/support/spill-rig.ts";
import { channels, type dut, renames, type Side, sides, tasks } from "./board-path.ts";

export type B = Bench<(typeof dut)["ports"]>;
interface Shown {
  readonly valid: { readonly value: number };
  readonly ready: { readonly value: number };
  readonly id: { readonly value: number };
  readonly addr: { readonly value: number };
  readonly len: { readonly value: number };
  readonly last: { readonly value: number };
}
const isOn = (s: { readonly value: number | bigint }): boolean => Number(s.value) === 1,
  fires = (s: Shown): boolean => isOn(s.valid) && isOn(s.ready);
/**
 * Cycles for which a master's data may be late behind their address: those of a queue; of a task, until beats of a
 * write that was denied before it are thrown away.
 */
const late: Readonly<Record<Side, number>> = { tasks: wayBeats, rings: 4 };

/** The bench as the rig of one side knows it: its bus is what it shows. */
function sideOf<T>(
  b: B,
  shown: (channel: (typeof channels)[number]) => Shown,
  renames: Readonly<Record<string, string>>,
): T {
  const io = b.io as unknown as Readonly<Record<string, unknown>>, // Names of two designs together.
    seen = Object.fromEntries(
      channels.map(c => {
        const { valid, ready, id, addr, len, last } = shown(c);
        return [`m${c}`, { valid, ready, payload: { id, addr, len, last } }];
      }),
    );
  const own = new Proxy(io, {
    get: (all, name) => (typeof name === "string" ? (seen[name] ?? all[renames[name] ?? name]) : undefined),
  });
  return new Proxy(b, {
    get: (all, name) => {
      if (name === "io") return own;
      const value = Reflect.get(all, name, all) as unknown;
      return typeof value === "function" ? (value as (...a: unknown[]) => unknown).bind(all) : value;
    },
  }) as T; // The rig sees what it would see of its own design.
}

export class BoardRig {
  readonly b: B;
  readonly ram: AxiRam;
  /** As the rig of each side knows the bench. */
  readonly tasks: MemoryB;
  readonly rings: RingB;
  /** Addresses of the other that passed while one waited, at most; and both waited in the same cycle so often. */
  readonly passed = { tasks: 0, rings: 0 };
  both = 0;
  readonly #shown: Readonly<Record<Side, Readonly<Record<(typeof channels)[number], Shown>>>>;
  readonly #waits = new Map<string, number>();
  readonly #owed = { tasks: { beats: 0, since: 0 }, rings: { beats: 0, since: 0 } };

  constructor(b: B, o: AxiRamOptions = {}) {
    this.b = b;
    const io = b.io as unknown as Readonly<Record<string, Shown>>, // As above.
      of = (side: Side) =>
        Object.fromEntries(channels.map(c => [c, io[`${side}Seen${c}`]])) as Record<(typeof channels)[number], Shown>;
    this.#shown = { tasks: of("tasks"), rings: of("rings") };
    const m = b.io as unknown as MemoryB["io"];
    this.ram = new AxiRam(
      b.sim,
      { aw: m.mAw, w: m.mW, b: m.mB, ar: m.mAr, r: m.mR },
      { memory: new SparseMemory({ fill: { seed: b.random.word() } }), latency: 20, ...o },
    );
    this.tasks = sideOf(b, c => this.#shown.tasks[c], {});
    this.rings = sideOf(b, c => this.#shown.rings[c], renames);
    b.onEdge({ sample: () => this.#sample() });
  }
  #fail(what: string): never {
    throw new Error(`cycle ${this.b.cycle}: ${what}`);
  }
  #sample(): void {
    for (const c of ["Ar", "Aw"] as const) {
      const { tasks: t, rings: r } = { tasks: this.#shown.tasks[c], rings: this.#shown.rings[c] };
      if (isOn(t.valid) && isOn(r.valid)) this.both++;
      this.#turn("tasks", c, t, r);
      this.#turn("rings", c, r, t);
    }
    for (const side of sides) {
      const { Aw, W, R, B: answer } = this.#shown[side],
        owed = this.#owed[side];
      for (const [name, s] of [
        ["a beat", R],
        ["an answer", answer],
      ] as const)
        if (isOn(s.valid) && !isOn(s.ready)) this.#fail(`${side} let ${name} wait, and the other with it`);
      owed.since = owed.beats > 0 && !isOn(W.valid) ? owed.since + 1 : 0;
      if (owed.since > late[side]) this.#fail(`${side} have no data for an address that is granted`);
      if (fires(Aw)) owed.beats += Aw.len.value + 1;
      if (fires(W)) owed.beats--;
    }
  }
  /** While one waits, the other has one burst at most. */
  #turn(side: Side, c: string, mine: Shown, other: Shown): void {
    const key = `${side}${c}`,
      waits = isOn(mine.valid) && !isOn(mine.ready),
      passed = waits ? (this.#waits.get(key) ?? 0) + (fires(other) ? 1 : 0) : 0;
    this.#waits.set(key, passed);
    this.passed[side] = Math.max(this.passed[side], passed);
    if (passed > 1) this.#fail(`${side} wait, and ${passed} bursts of the other passed`);
  }
  /** Nothing is under way, and both had what they had to wait for each other. */
  async end(): Promise<void> {
    await this.b.until(() => this.ram.idle);
    for (const side of sides)
      if (this.#owed[side].beats !== 0) this.#fail(`${side} owe ${this.#owed[side].beats} beats`);
  }
}
const pauses =
  (b: B, rate: number): (() => Pause) =>
  () =>
    bernoulli(rate, b.random.word());
export const pausing = (b: B, rate = 0.25): AxiRamOptions => {
  const pause = pauses(b, rate);
  // Addresses are taken seldom: so both wait for them together.
  const seldom = pauses(b, Math.min(0.8, 3 * rate));
  return { pause: { aw: seldom(), w: pause(), b: pause(), ar: seldom(), r: pause() } };
};

/** Cycles from a read's question to its answer, with nobody else there. */
export async function lone(rig: MemoryRig): Promise<number> {
  const space = await rig.space(2);
  await rig.attach(0, space);
  await rig.manager.step();
  for (let i = 0; i < 2; i++) {
    rig.access(0, false, 64, 64);
    await rig.settled();
  }
  return rig.latencies.at(-1) ?? 0;
}
/** DAGs are stopped and started, and tasks' pages come and go, in one memory. */
export async function together(b: B, o: AxiRamOptions = {}, cycles = 900, gaps = 0.2): Promise<BoardRig> {
  const rig = new BoardRig(b, o),
    { ram } = rig,
    pause = pauses(b, 0.2);
  await Promise.all([
    life(rig.rings, "board", { ram, gaps: bernoulli(gaps, b.random.word()) }, 2),
    pagesMove(rig.tasks, cycles, { ram, pause }),
  ]);
  await rig.end();
  return rig;
}
/** Bytes of rings fail, read and written: no task notices it. */
export async function ringsFail(b: B, which: "reads" | "writes", cycles = 2_500): Promise<BoardRig> {
  const rig = new BoardRig(b, pausing(b, 0.1)),
    { ram } = rig,
    fails = which === "reads" ? failingReads : failingWrites,
    [, beside] = await Promise.all([fails(rig.rings, "board", { ram }), pagesMove(rig.tasks, cycles, { ram })]);
  if (beside.seen.failed > 0) throw new Error("a task was told of an error of the rings");
  await rig.end();
  return rig;
}
/** Pages of tasks fail: no ring loses a frame. */
export async function tasksFail(b: B): Promise<BoardRig> {
  const rig = new BoardRig(b, pausing(b, 0.1)),
    { ram } = rig,
    [, failed] = await Promise.all([life(rig.rings, "board", { ram }, 4), memoryFails(rig.tasks, { ram })]);
  if (failed.seen.failed === 0) throw new Error("no page of a task has failed");
  await rig.end();
  return rig;
}
/** Tasks are switched off in the middle, and rings told to discard, beside each other. */
export async function bothGo(b: B, rounds = 14): Promise<BoardRig> {
  const rig = new BoardRig(b, { latency: 30, jitter: 20, outOfOrder: true, ...pausing(b, 0.1) }),
    { ram } = rig;
  await Promise.all([discards(rig.rings, "board", { ram }), tasksGo(rig.tasks, rounds, { ram })]);
  await rig.end();
  return rig;
}
/** Software names pages that are the rings': no look, and no move, leads there; the last one in front is a task's. */
export async function beyond(b: B): Promise<void> {
  const rig = new BoardRig(b),
    { ram } = rig,
    first = tasks.frames ?? 0,
    all = 2 ** tasks.ppnBits,
    spaces = new MemoryRig(rig.tasks, { ram, frames: first - 5, ready: 0 }),
    { driver } = spaces;
  const space = await spaces.space(2);
  await spaces.attach(0, space);
  ram.write((first - 1) * 2 ** tasks.pageShift, new Uint8Array(2 ** tasks.pageShift));
  // Who is denied is told so.
  spaces.mayFail = true;
  for (const ppn of [first - 1, first, first + 1, all - 1])
    for (const write of [false, true]) {
      await driver.setPage(space.base, { valid: true, present: true, write: true, remote: false, ppn });
      const before = { denied: spaces.seen.denied, ...ram.counts };
      spaces.access(0, write, 128, 64);
      await spaces.settled();
      const bursts = ram.counts.readBursts + ram.counts.writeBursts - before.readBursts - before.writeBursts,
        denied = spaces.seen.denied - before.denied;
      if (bursts !== (ppn < first ? 1 : 0) || denied !== 1 - bursts)
        throw new Error(`page ${ppn} of ${first}: ${bursts} bursts, and ${denied} denied`);
    }
  for (const kind of ["zero", "out", "in"] as const)
    for (const ppn of [first, all - 1]) {
      const { counts } = ram,
        before = driver.in.pending;
      driver.in.send({ data: 0n });
      driver.move.send({ kind, ppn });
      await b.until(() => driver.moved.received.length > 0);
      await b.cycles(40);
      const moved = driver.moved.take()?.value;
      if (moved?.bad !== 1 || moved.ppn !== ppn) throw new Error(`a move of page ${ppn} is told as good`);
      if (driver.in.pending !== before + 1) throw new Error("a beat was taken for a page that is not tasks'");
      if (JSON.stringify(ram.counts) !== JSON.stringify(counts)) throw new Error(`page ${ppn} has bursts`);
    }
  await rig.end();
}
