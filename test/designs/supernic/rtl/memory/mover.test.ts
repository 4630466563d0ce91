/** Pages that move, between a bus and streams that stand still when they like. */
import { describe, expect, test } from "vitest";
import { PageMover } from "../../../../../designs/supernic/rtl/memory/mover.ts";
import {
  type Bench,
  bernoulli,
  bursts,
  type Dut,
  never,
  type Pause,
  runBench,
  StreamSink,
  StreamSource,
} from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { scramble } from "../../support/any-value.ts";

const sizes = {
    ...{ ways: 3, pages: 32, spaces: 4, pageShift: 13, ppnBits: 6, freePages: 4 },
    frames: 40,
  } as const,
  dut = PageMover(sizes);
type Ports = typeof dut.ports;
type B = Bench<Ports>;
const kinds = ["zero", "out", "in"] as const;
const burstBeats = 16,
  pageBeats = 128,
  mostBursts = 4,
  allBytes = (1n << 64n) - 1n;
interface Asked {
  readonly kind: (typeof kinds)[number];
  readonly ppn: number;
}
interface Pauses {
  readonly bus?: () => Pause;
  readonly page?: () => Pause;
}

/** The bus, and what every move must do. */
class Rig {
  readonly b: B;
  readonly move;
  readonly moved;
  readonly free;
  readonly out;
  readonly in;
  readonly bus;
  /** The move that is under way, and what of it has been seen. */
  now: (Asked & { readonly hasRoom: boolean }) | undefined;
  failing = 0;
  latency = 0;
  readonly results = { zero: 0, out: 0, in: 0, bad: 0 };
  /** Cycles in which a beat went over the bus. */
  readonly beats: number[] = [];
  #asked = 0;
  #given: bigint[] = [];
  #wanted: bigint[] = [];
  /** Beats of pages that come in. */
  #coming: bigint[] = [];
  #bad = false;
  #underWay = 0;
  #answers: { readonly at: number; readonly send: () => void }[] = [];
  #resetting = false;

  constructor(b: B, { bus = () => never, page = () => never }: Pauses = {}) {
    const { sim, io } = b;
    this.b = b;
    this.move = new StreamSource(sim, io.move);
    this.moved = new StreamSink(sim, io.moved, { pause: page() });
    this.free = new StreamSink(sim, io.free, { pause: page() });
    this.out = new StreamSink(sim, io.out, { pause: page() });
    this.in = new StreamSource(sim, io.in, { pause: page() });
    this.bus = {
      ar: new StreamSink(sim, io.ar, { pause: bus() }),
      r: new StreamSource(sim, io.r, { pause: bus() }),
      aw: new StreamSink(sim, io.aw, { pause: bus() }),
      w: new StreamSink(sim, io.w, { pause: bus() }),
      b: new StreamSource(sim, io.b, { pause: bus() }),
    };
    io.freeRoom.value = 1;
    b.onEdge({
      sample: cycle => this.#sample(cycle),
      // Where nothing is offered stands anything.
      drive: () => {
        for (const port of [io.r, io.b, io.in]) if (port.valid.value === 0) scramble(b.random, port.payload);
      },
    });
  }
  #sample(cycle: number): void {
    if (this.#resetting) return;
    const { io, random: r } = this.b,
      taken = io.move.valid.value === 1 && io.move.ready.value === 1;
    if (io.busy.value !== (this.now === undefined ? 0 : 1)) throw new Error(`busy is ${io.busy.value}`);
    if (this.now?.kind !== "in" && io.in.ready.value === 1) throw new Error("a beat is taken that no page waits for");
    for (const kind of ["ar", "aw"] as const) {
      for (let s = this.bus[kind].take(); s; s = this.bus[kind].take()) this.#burst(kind, s.value, cycle);
    }
    for (let s = this.bus.w.take(); s; s = this.bus.w.take()) {
      this.beats.push(cycle);
      const { data, strb, last } = s.value,
        at = this.#given.push(BigInt(data));
      if (BigInt(strb) !== allBytes) throw new Error("a beat is not whole");
      if (last !== (at % burstBeats === 0 ? 1 : 0)) throw new Error(`last is ${last} of beat ${at}`);
      if (at > pageBeats || Math.ceil(at / burstBeats) > this.#asked + 1) throw new Error("a beat without a burst");
    }
    this.#answers = this.#answers.filter(a => {
      if (a.at > cycle) return true;
      a.send();
      return false;
    });
    this.#answerWrites(cycle);
    this.#ends();
    if (!taken) return;
    const kind = io.move.payload.kind.value as unknown;
    const name = typeof kind === "string" ? (kind as Asked["kind"]) : (kinds[Number(kind)] ?? "zero");
    this.now = { kind: name, ppn: io.move.payload.ppn.num, hasRoom: io.freeRoom.value === 1 };
    this.failing = r.chance(0.2) ? r.between(1, 4) : 0;
    [this.#asked, this.#given, this.#bad, this.#answered] = [0, [], false, 0];
    this.#wanted = name === "zero" ? Array.from({ length: pageBeats }, () => 0n) : [];
    // The last moment counts that it may be looked at.
    io.freeRoom.value = r.chance(0.7) ? 1 : 0;
  }
  #answered = 0;
  #burst(
    kind: "ar" | "aw",
    a: { readonly addr: number | bigint; readonly len: number; readonly size: number; readonly burst: number },
    cycle: number,
  ): void {
    const { now } = this;
    if (now === undefined || (kind === "ar") !== (now.kind === "out")) throw new Error(`a burst of nobody: ${kind}`);
    if (this.#isRefused()) throw new Error("a burst of a page that is refused");
    expect([Number(a.addr), a.len, a.size, a.burst]).toEqual([
      now.ppn * 2 ** sizes.pageShift + this.#asked * burstBeats * 64,
      ...[burstBeats - 1, 6, 1],
    ]);
    this.#asked++;
    if (++this.#underWay > mostBursts) throw new Error("too many bursts are under way");
    if (kind === "aw") return;
    const bad = this.failing === this.#asked ? this.b.random.between(1, burstBeats) : 0;
    this.#answers.push({
      at: cycle + this.latency,
      send: () => {
        for (let i = 1; i <= burstBeats; i++) {
          const data = this.b.random.bits(512),
            resp = i === bad ? this.b.random.between(1, 3) : 0;
          if (resp !== 0) this.#bad = true;
          this.#wanted.push(data);
          this.bus.r.send({ id: 0, data, resp, last: i === burstBeats ? 1 : 0 });
        }
      },
    });
  }
  #answerWrites(cycle: number): void {
    const { io } = this.b;
    if ((io.r.valid.value === 1 && io.r.payload.last.value === 1) || io.b.valid.value === 1) this.#underWay--;
    const whole = Math.min(this.#asked, Math.floor(this.#given.length / burstBeats));
    if (this.now?.kind === "out" || whole <= this.#answered) return;
    this.#answered++;
    const resp = this.failing === this.#answered ? this.b.random.between(1, 3) : 0;
    if (resp !== 0) this.#bad = true;
    this.#answers.push({ at: cycle + this.latency, send: () => void this.bus.b.send({ id: 0, resp }) });
  }
  #isRefused(): boolean {
    const { now } = this;
    return now !== undefined && ((now.kind === "zero" && !now.hasRoom) || now.ppn >= sizes.frames);
  }
  /** A move is over: told, or a page is free; and everything has moved that had to. */
  #ends(): void {
    const { now } = this,
      free = this.free.take(),
      moved = this.moved.take();
    if (free === undefined && moved === undefined) return;
    if (now === undefined || (free !== undefined && moved !== undefined)) throw new Error("a move ends twice");
    const refused = this.#isRefused(),
      bad = refused || this.#bad;
    if (free !== undefined) {
      expect([free.value, now.kind, bad]).toEqual([now.ppn, "zero", false]);
    } else {
      expect(moved?.value).toEqual({ kind: now.kind, ppn: now.ppn, bad: bad ? 1 : 0 });
      if (now.kind === "zero") expect(bad).toBe(true);
    }
    if (this.#underWay !== 0) throw new Error("bursts are under way at the end");
    const went = now.kind === "out" ? this.out.received.splice(0).map(s => s.value.data) : this.#given;
    const wanted = refused ? [] : now.kind === "in" ? this.#coming.splice(0, pageBeats) : this.#wanted;
    if (went.length !== wanted.length || went.some((d, i) => d !== wanted[i]))
      throw new Error(`the bytes of a page that went ${now.kind} are others: ${went.length} beats`);
    if (this.out.received.length > 0) throw new Error("beats come out of a page that does not");
    this.results[now.kind]++;
    if (bad) this.results.bad++;
    this.now = undefined;
  }
  /** Asks for a move; the beats of a page that comes in are there before or after. */
  ask(kind: Asked["kind"], ppn: number): void {
    this.move.send({ kind, ppn });
    if (kind !== "in" || ppn >= sizes.frames) return;
    for (let i = 0; i < pageBeats; i++) {
      const data = this.b.random.bits(512);
      this.#coming.push(data);
      this.in.send({ data });
    }
  }
  async settled(): Promise<void> {
    await this.b.until(() => this.move.pending === 0 && this.now === undefined);
  }
  reset(): void {
    this.#resetting = true;
    for (const s of [this.move, this.in, this.bus.r, this.bus.b]) s.forget();
    this.b.sim.reset(1);
    this.#resetting = false;
    for (const s of [this.moved, this.free, this.out, this.bus.ar, this.bus.aw, this.bus.w]) s.received.splice(0);
    this.now = undefined;
    [this.#wanted, this.#coming, this.#answers, this.#underWay] = [[], [], [], 0];
  }
}

const randomly =
  (slow: boolean, rounds: number) =>
  async (b: B): Promise<void> => {
    const { random: r } = b,
      pause = (): Pause => r.pick([bernoulli(0.3, r.word()), bursts({ go: 30, pause: 60 }, r.word()), never]),
      rig = new Rig(b, slow ? { bus: pause, page: pause } : {});
    for (let i = 0; i < rounds; i++) {
      rig.latency = r.pick([0, 10, 60]);
      rig.ask(r.pick(kinds), r.below(8) === 0 ? r.pick([39, 40, 63]) : r.below(64));
      if (i % 8 === 7) {
        await b.cycles(r.below(200));
        rig.reset();
      } else await rig.settled();
    }
    expect(Math.min(...Object.values(rig.results))).toBeGreaterThan(0);
  };
/** A page in 16 cycles a burst, when the memory answers in time. */
async function fullRate(b: B): Promise<void> {
  const rig = new Rig(b);
  for (const kind of kinds) {
    const answers = kind === "out" ? 14 : 50;
    rig.latency = answers;
    rig.ask(kind, 5);
    const from = b.cycle;
    await rig.settled();
    expect(b.cycle - from, kind).toBeLessThan(pageBeats + answers + 24);
    b.io.freeRoom.value = 1;
    await b.cycles(2);
  }
}

/** Each stream by itself stands still for longer than a page takes: nothing is lost, and nothing is taken for it. */
async function standsStill(b: B): Promise<void> {
  const rig = new Rig(b),
    { ar, r, aw, w, b: answers } = rig.bus;
  for (const kind of kinds)
    for (const stream of [ar, r, aw, w, answers, rig.out, rig.in, rig.moved, rig.free]) {
      b.io.freeRoom.value = 1;
      rig.ask(kind, b.random.below(sizes.frames));
      await b.cycles(b.random.below(30));
      stream.pause = () => true;
      await b.cycles(pageBeats + 40);
      stream.pause = never;
      await rig.settled();
    }
}
/** Two pages come in whose beats wait already: the first one takes its own. */
async function twoComeIn(b: B): Promise<void> {
  const pause = () => bernoulli(0.4, b.random.word()),
    rig = new Rig(b, { bus: pause, page: pause });
  for (const ppn of [3, 4, 5, 6]) rig.ask("in", ppn);
  await rig.settled();
  expect(rig.results.in).toBe(4);
}

const runs = { standsStill, twoComeIn, slow: randomly(true, 18), fast: randomly(false, 40), fullRate };
describe("PageMover", () => {
  bench("every beat is moved once, with pauses and resets", dut, { seed: 1, hangCycles: 3000 }, runs.slow);
  bench("without pauses", dut, { seed: 2, hangCycles: 3000 }, runs.fast);
  bench("each stream stands still by itself", dut, { seed: 4, hangCycles: 3000 }, standsStill);
  bench("pages that come in one behind the other", dut, { seed: 5, hangCycles: 3000 }, twoComeIn);
  bench("at full rate", dut, { seed: 3, hangCycles: 3000 }, fullRate);

  describe("a planted fault is found", () => {
    const look = async (name: string, design: Dut<Ports>): Promise<void> => {
      for (const [what, run] of Object.entries(runs))
        await runBench(`${name} ${what}`, design, { wave: false, hangCycles: 3000, limitCycles: 60_000, seed: 4 }, run);
    };
    test("and nothing without one", () => look("no fault", dut));
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["beats are taken that have no room", "assign in_ready = page_beats_push_ready &", "assign in_ready ="],
      ["a page is told as free to nobody", "(free_valid & free_ready)", "free_valid"],
      [
        "beats of the next page are taken",
        "takes_beats = busy_q & is_in & ~beats_taken[7]",
        "takes_beats = busy_q & is_in",
      ],
      [
        "a beat of zeros goes into a page that is refused",
        /bursts_given <= no_room \? [^;]*;/,
        "bursts_given <= 4'd0;",
      ],
    ];
    test.each(faults)("%s", async (name, from, to) => {
      await findsFault(look(name, plant(dut, from, to)));
    });
  });
});
