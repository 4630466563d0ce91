/** A bench for the two queues: random frames, and a model that says what leaves, what is lost, and in which order. */
import { TwoQueues } from "../../../designs/fastswap/rtl/index.ts";
import { bit, struct, uint } from "../../../hdl-dsl/index.ts";
import { type Bench, type BenchOptions, type Design, runBench } from "../../../sim/index.ts";

const Beat = struct({ data: uint(16), last: bit });
export const sizes = { criticalDepth: 8, bulkDepth: 16, patience: 3 };
export const queuesOf = (drops: boolean, patience = sizes.patience) =>
  TwoQueues({ shape: Beat, last: "last", ...sizes, patience, drops });
type Dut = ReturnType<typeof queuesOf>;
type QueuesBench = Bench<Dut["ports"]>;

interface Frame {
  readonly beats: readonly number[];
  readonly bulk: boolean;
  /** Edge of its last beat in. */
  end: number;
}

/** What the queues hold, cycle by cycle: a second telling of the rules, with lists for rings and pointers. */
class Model {
  readonly #depth: readonly [number, number];
  readonly #patience: number;
  readonly #drops: boolean;
  /** Whole frames, and those that are coming, by class: 0 critical, 1 bulk. */
  readonly whole: readonly [Frame[], Frame[]] = [[], []];
  #coming: number[] = [];
  #lost = false;
  /** Beats of the frame that is going out which have gone. */
  #gone = 0;
  #serving: Frame | undefined;
  #passed = 0;
  losses = 0;
  turns = 0;
  inside = 0;

  constructor(o: { readonly drops: boolean; readonly patience: number }) {
    this.#depth = [sizes.criticalDepth, sizes.bulkDepth];
    this.#patience = o.patience;
    this.#drops = o.drops;
  }
  reset(): void {
    this.whole[0].length = this.whole[1].length = this.#coming.length = 0;
    this.#lost = false;
    this.#gone = this.#passed = 0;
    this.#serving = undefined;
  }
  /** Beats in a ring before this edge. */
  #used(k: 0 | 1, coming: boolean): number {
    const out = this.#serving?.bulk === (k === 1) ? this.#gone : 0;
    return this.whole[k].reduce((n, f) => n + f.beats.length, 0) - out + (coming ? this.#coming.length : 0);
  }
  /** The edge at which a beat was offered: whether it must have been taken, and which class loses a frame by it. */
  offered(
    bulk: boolean,
    beat: number,
    last: boolean,
    edge: number,
  ): { readonly ready: boolean; readonly loses: boolean } {
    const k = bulk ? 1 : 0,
      full = this.#used(k, true) === this.#depth[k],
      alone = this.#coming.length === this.#depth[k];
    if (!this.#drops && full && !alone && !this.#lost) return { ready: false, loses: false };
    if (full) this.#lost = true;
    if (!this.#lost) this.#coming.push(beat);
    const loses = last && this.#lost;
    if (last) {
      if (loses) this.losses++;
      else this.#arrived.push({ beats: this.#coming, bulk, end: edge });
      this.#coming = [];
      this.#lost = false;
    }
    return { ready: true, loses };
  }
  #arrived: Frame[] = [];

  /** What must stand at the way out, before the edge. */
  get front(): { readonly data: number; readonly last: boolean } | undefined {
    const f = this.#serving;
    return f && { data: f.beats[this.#gone] as number, last: this.#gone === f.beats.length - 1 };
  }
  /** The edge passes. */
  step(ready: boolean): void {
    const f = this.#serving;
    let chooses = f === undefined;
    if (f !== undefined && ready && ++this.#gone === f.beats.length) {
      this.whole[f.bulk ? 1 : 0].shift();
      this.#gone = 0;
      this.#serving = undefined;
      chooses = true;
    }
    if (chooses) this.#choose();
    // A frame whose last beat came at this edge can be chosen at the next one.
    for (const a of this.#arrived.splice(0)) this.whole[a.bulk ? 1 : 0].push(a);
    this.inside = this.whole[0].length + this.whole[1].length;
  }
  #choose(): void {
    const [[critical], [bulk]] = this.whole;
    const due = this.#patience > 0 && this.#passed === this.#patience,
      next = bulk !== undefined && (due || critical === undefined) ? bulk : critical;
    if (next === undefined) return;
    if (next === bulk && critical !== undefined) this.turns++;
    this.#passed = next === critical && bulk !== undefined ? Math.min(this.#passed + 1, this.#patience) : 0;
    this.#serving = next;
  }
}

/** Quick, for it is asked several times a cycle. */
function same<T>(got: T, want: T, what: () => string): void {
  if (got !== want) throw new Error(`${what()}: ${String(got)}, and the model says ${String(want)}`);
}

export interface Traffic {
  readonly cycles: number;
  /** Shares of cycles in which nothing is offered, and in which nothing is taken. */
  readonly idle: number;
  readonly stalls: number;
  readonly bulkShare: number;
  readonly longest: number;
  readonly resets?: number;
}

/** Plays traffic and compares every cycle. @returns what was seen, so that a test can ask that all of it happened */
export async function play(
  b: QueuesBench,
  o: Traffic & { readonly drops: boolean; readonly patience: number },
): Promise<{ sent: number; left: number; lost: number; turns: number }> {
  const { io, random } = b,
    model = new Model(o);
  let frame: number[] = [],
    bulk = false,
    offers = false,
    sent = 0,
    left = 0,
    number = 0;
  const deadline = b.cycle + o.cycles;
  for (;;) {
    const ending = b.cycle >= deadline;
    if (o.resets !== undefined && !ending && random.chance(o.resets)) {
      io.from.valid.value = 0;
      b.sim.reset(1);
      model.reset();
      frame = [];
      offers = false;
    }
    if (frame.length === 0 && !ending) {
      frame = Array.from({ length: random.between(1, o.longest) }, () => number++ & 0xffff);
      bulk = random.chance(o.bulkShare);
    }
    offers = frame.length > 0 && (offers || !random.chance(o.idle));
    io.from.valid.value = offers ? 1 : 0;
    io.from.payload.data.value = frame[0] ?? 0;
    io.from.payload.last.value = frame.length === 1 ? 1 : 0;
    io.bulk.value = bulk ? 1 : 0;
    const ready = !random.chance(ending ? 0 : o.stalls);
    io.to.ready.value = ready ? 1 : 0;
    await b.risingEdge();

    const want = model.front;
    same(io.to.valid.value !== 0, want !== undefined, () => `something leaves at edge ${b.cycle}`);
    if (want !== undefined) {
      const { data, last } = io.to.payload;
      same(data.value, want.data, () => `what leaves at edge ${b.cycle}`);
      same(last.value !== 0, want.last, () => `whether it ends at edge ${b.cycle}`);
      if (ready && want.last) left++;
    }
    let loses = false;
    if (offers) {
      const said = model.offered(bulk, frame[0] as number, frame.length === 1, b.cycle);
      ({ loses } = said);
      same(io.from.ready.value !== 0, said.ready, () => `ready at edge ${b.cycle}`);
      if (said.ready) {
        frame.shift();
        offers = false;
        if (frame.length === 0) sent++;
      }
    }
    same(io.lost.value, loses ? (bulk ? 2 : 1) : 0, () => `lost at edge ${b.cycle}`);
    model.step(ready);
    if (ending && frame.length === 0 && model.inside === 0 && model.front === undefined) break;
  }
  return { sent, left, lost: model.losses, turns: model.turns };
}

export const run = <T>(
  name: string,
  design: Dut | Design<Dut["ports"]>,
  body: (b: QueuesBench) => Promise<T>,
  o: BenchOptions = {},
): Promise<T> => runBench(name, design, { seed: 7, wave: false, limitCycles: 1e6, hangCycles: 2_000, ...o }, body);
