/** Frames to the MAC, alone: what goes when several may, every byte of it, and what a link that is cleared ends. */
import { describe, expect, test } from "vitest";
import { TxFrames } from "../../../../../designs/supernic/rtl/link/frames.ts";
import { bit, connect, input, instance, module, output, struct } from "../../../../../hdl-dsl/index.ts";
import { RingBeat } from "../../../../../designs/supernic/rtl/link/records.ts";
import { linkAnswer, linkKind, pfcFrame, putShims } from "../../../../../designs/supernic/wire/index.ts";
import { AxisSink, type Bench, bernoulli, type Dut, poke, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { testOfResets } from "../../../../support/reset-any-time.ts";
import { anyValue, scramble } from "../../support/any-value.ts";
import { number } from "../../support/inlets.ts";

/** As a top module: `sequence` would be a keyword there. A beat is no stream, as `clear` takes it back in the ring. */
const Alone = module(
  "TxFramesAlone",
  () => {
    const { sequence, beats: _beats, ...ports } = TxFrames().ports;
    return {
      ...ports,
      following: sequence,
      beat: input(struct({ valid: bit, payload: RingBeat })),
      takes: output(bit),
    };
  },
  io => {
    const frames = instance("frames", TxFrames());
    for (const name of ["config", "down", "goesBack", "clear", "answer", "pause"] as const)
      (frames[name] as { set(v: unknown): void }).set(io[name]);
    frames.sequence.set(io.following);
    frames.beats.valid.set(io.beat.valid);
    frames.beats.payload.set(io.beat.payload);
    io.takes.set(frames.beats.ready);
    connect(frames.tx, io.tx);
    for (const name of ["idle", "sent", "told", "paused", "events"] as const)
      (io[name] as { set(v: unknown): void }).set(frames[name]);
  },
);
const dut = Alone();
type Ports = typeof dut.ports;
type B = Bench<Ports>;
const beatBytes = 64,
  shimBytes = 8,
  minimum = 60,
  pfcClasses = 8;

const padded = (bytes: Uint8Array): Uint8Array =>
  Uint8Array.from({ length: Math.max(minimum, bytes.length) }, (_, i) => bytes[i] ?? 0);
/** A frame of the ring, and how far it has been taken. */
interface Given {
  readonly bytes: Uint8Array;
  readonly bad: boolean;
  readonly class: number;
  at: number;
  /** Of its first beat. */
  shim?: { readonly sequence: number; readonly ack: number };
}
/** What leaves; of a frame that was cut only that it is bad. */
interface Leaves {
  readonly bytes: Uint8Array | undefined;
  bad: boolean;
}

class Rig {
  readonly b: B;
  readonly tx;
  readonly reliable: boolean;
  readonly wanted: Leaves[] = [];
  readonly seen = { pauses: 0, nacks: 0, acks: 0, frames: 0, cut: 0, restCut: 0 };
  #next: Given | undefined;
  #offers = false;
  #config = { mac: 0n, partner: 0n };
  /** In the cycle that comes: the frame that is under way, its rest, and a beat that ends it. */
  #inFrame = false;
  #rest: Leaves | undefined;
  #breaks = false;

  constructor(b: B, reliable: boolean) {
    const { io, random: r } = b;
    this.b = b;
    this.reliable = reliable;
    this.tx = new AxisSink(b.sim, io.tx, { pause: bernoulli(0.5, r.word()) });
    this.#config = { mac: r.bits(48), partner: r.bits(48) };
    poke(io.config, { reliable: reliable ? 1 : 0, ...this.#config });
    this.quiet();
  }
  quiet(): void {
    const { io, random: r } = this.b;
    scramble(r, io.beat.payload);
    scramble(r, io.pause);
    io.answer.expected.value = r.below(1 << 16);
    io.following.value = r.below(1 << 16);
    io.beat.valid.value = io.down.value = io.goesBack.value = io.clear.value = 0;
    io.answer.ack.value = io.answer.nack.value = io.pause.due.value = 0;
  }
  #frame(): Given {
    const { random: r } = this.b,
      edge = beatBytes * r.between(1, 3) - r.between(0, 10),
      length = r.pick([r.between(14, 70), r.between(48, 64), edge, r.between(14, 200)]);
    const bytes = Uint8Array.from({ length }, () => r.below(256));
    return { bytes, bad: r.chance(0.2), class: r.below(6), at: 0 };
  }
  /** A beat of the ring, as it stands there until it is taken. */
  #offer({ bytes, bad, class: of, at }: Given): void {
    const { io, random: r } = this.b,
      part = bytes.slice(at, at + beatBytes),
      last = at + beatBytes >= bytes.length;
    poke(io.beat.payload, {
      ...{ data: number(part), last: last ? 1 : 0, lane: part.length - 1 },
      ...{ bad: last ? (bad ? 1 : 0) : r.below(2), class: at === 0 ? of : r.below(6) },
    });
  }
  async cycle(o: { readonly clears: number; readonly own: number; readonly back: number }): Promise<void> {
    const { b } = this,
      { io, random: r } = b;
    this.quiet();
    poke(io.pause, { ...anyValue(r, io.pause), due: r.chance(o.own) ? 1 : 0 });
    io.answer.ack.value = r.chance(o.own) ? 1 : 0;
    io.answer.nack.value = r.chance(o.own) ? 1 : 0;
    io.down.value = r.chance(0.05) ? 1 : 0;
    // Only between frames of the ring does anybody go back.
    io.goesBack.value = r.chance(o.back) ? 1 : 0;
    // The rest of a frame stands there for few cycles: then more often.
    const clears = this.#rest && o.clears > 0 ? 0.5 : o.clears;
    io.clear.value = r.chance(clears) ? 1 : 0;
    this.#next ??= this.#frame();
    this.#offers ||= r.chance(o.own > 0.1 ? 0.3 : 0.7);
    if (this.#offers) {
      this.#offer(this.#next);
      io.beat.valid.value = 1;
    }
    await b.cycles(1);
    this.#step();
    this.#compare();
  }
  /** What goes in this cycle, by the page's order. The line's register takes what comes when it is empty or taken. */
  #step(): void {
    const { io } = this.b,
      takes = io.tx.valid.value === 0 || io.tx.ready.value === 1,
      clears = io.clear.value === 1;
    const answers = this.reliable && io.down.value === 0,
      open = !clears && this.#rest === undefined && !this.#breaks,
      between = open && !this.#inFrame && io.goesBack.value === 0;
    const pauses = between && io.pause.due.value === 1,
      nacks = between && !pauses && answers && io.answer.nack.value === 1,
      turn = (between && !pauses && !nacks) || (open && this.#inFrame),
      gives = turn && this.#offers,
      acks = between && !pauses && !nacks && !gives && answers && io.answer.ack.value === 1;
    expect(io.idle.value).toBe(this.#inFrame ? 0 : 1);
    expect(io.takes.value).toBe(turn && takes ? 1 : 0);
    const starts = takes && gives && !this.#inFrame && answers;
    const goes = { pause: pauses && takes, nack: nacks && takes, ack: acks && takes };
    expect([io.paused.value, io.told.nack.value, io.told.ack.value]).toEqual(
      [goes.pause, goes.nack, goes.ack || starts].map(is => (is ? 1 : 0)),
    );
    const { ackSent, nackSent, pfcSent } = io.events;
    expect([pfcSent.value, nackSent.value, ackSent.value]).toEqual(
      [goes.pause, goes.nack, goes.ack].map(is => (is ? 1 : 0)),
    );
    if (goes.pause) this.#pause();
    if (goes.nack || goes.ack) this.#answer(goes.nack ? "nack" : "ack");
    this.#clear(clears, takes);
    const sent = gives && takes ? this.#beat() : false;
    expect(io.sent.value).toBe(sent ? 1 : 0);
  }
  #clear(clears: boolean, takes: boolean): void {
    if (this.#rest) {
      // It leaves marked, also when it waits longer than the cycle of `clear`.
      if (clears) {
        this.#rest.bad = true;
        if (!takes) this.seen.restCut++;
      }
      if (takes) this.#rest = undefined;
    }
    if (clears && this.#inFrame) {
      this.wanted.push({ bytes: undefined, bad: true });
      this.seen.cut++;
      this.#inFrame = false;
      this.#breaks = true;
      this.#next = undefined;
      this.#offers = false;
    }
    if (takes) this.#breaks = false;
  }
  #pause(): void {
    const { enabled, times } = this.b.io.pause;
    const told = Array.from({ length: pfcClasses }, (_, k) => k).filter(k => (enabled.num >> k) & 1),
      frame = pfcFrame(this.#config.mac, Object.fromEntries(told.map(k => [k, times[k]?.num ?? 0])));
    // The times of classes that are not told say nothing.
    for (let k = 0; k < pfcClasses; k++)
      if (!told.includes(k)) {
        const at = 18 + 2 * k,
          time = times[k]?.num ?? 0;
        frame[at] = time >> 8;
        frame[at + 1] = time & 255;
      }
    this.wanted.push({ bytes: frame, bad: false });
    this.seen.pauses++;
  }
  #answer(kind: "ack" | "nack"): void {
    const { mac: src, partner: dst } = this.#config;
    const bytes = linkAnswer({ src, dst }, kind, { class: 0, ack: this.b.io.answer.expected.num });
    this.wanted.push({ bytes, bad: false });
    this.seen[`${kind}s`]++;
  }
  /** A beat of the ring is taken. @returns whether it is the last one */
  #beat(): boolean {
    const { io } = this.b,
      f = this.#next;
    if (!f) throw new Error("a beat that nobody offers");
    if (f.at === 0) f.shim = { sequence: io.following.num, ack: io.answer.expected.num };
    f.at += beatBytes;
    this.#offers = false;
    this.#inFrame = f.at < f.bytes.length;
    if (this.#inFrame) return false;
    const link = { kind: linkKind.data, class: f.class, flags: 0, ...f.shim! },
      leaves = { bytes: this.reliable ? putShims(f.bytes, { link }) : padded(f.bytes), bad: f.bad };
    this.wanted.push(leaves);
    this.seen.frames++;
    const beats = (n: number): number => Math.ceil(n / beatBytes);
    if (this.reliable && beats(f.bytes.length + shimBytes) > beats(f.bytes.length)) this.#rest = leaves;
    this.#next = undefined;
    return true;
  }
  #compare(): void {
    for (let f = this.tx.frames.shift(); f; f = this.tx.frames.shift()) {
      const wanted = this.wanted.shift();
      expect(Number(f.user)).toBe(wanted?.bad === true ? 1 : 0);
      if (!wanted?.bytes) continue;
      expect(f.bytes.length).toBeGreaterThanOrEqual(minimum);
      if (f.bytes.length !== wanted.bytes.length || f.bytes.some((x, i) => x !== wanted.bytes?.[i]))
        expect([...f.bytes]).toEqual([...wanted.bytes]);
    }
  }
}

const paces = [
  { clears: 0, own: 0, back: 0 },
  { clears: 0, own: 0.15, back: 0.05 },
  { clears: 0.1, own: 0.1, back: 0.05 },
  { clears: 0.3, own: 0, back: 0 },
] as const;
async function lives(b: B, reliable: boolean): Promise<void> {
  const rig = new Rig(b, reliable);
  for (const pace of paces) for (let i = 0; i < 500; i++) await rig.cycle(pace);
  for (let i = 0; i < 20; i++) await b.cycles(1);
  const { nacks, acks, restCut, ...all } = rig.seen;
  expect(Math.min(...Object.values(all)), "all kinds of frames have left").toBeGreaterThan(10);
  if (reliable) expect(Math.min(nacks, acks, restCut)).toBeGreaterThan(5);
}

describe("TxFrames", () => {
  for (const reliable of [true, false])
    bench(`${reliable ? "with" : "without"} a link: what goes first, and its bytes`, dut, { seed: 1 }, b =>
      lives(b, reliable),
    );
  testOfResets(dut, {}, b => lives(b, true));

  describe("a planted fault is found", () => {
    const look = async (name: string, design: Dut<Ports>): Promise<void> => {
      for (const reliable of [true, false])
        await runBench(`${name} ${reliable}`, design, { wave: false, seed: 4 }, b => lives(b, reliable));
    };
    test("and nothing without one", () => look("no fault", dut));
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["a frame of 59 bytes is not filled", "beats_payload_lane < 6'd59", "beats_payload_lane < 6'd58"],
      ["the rest of a frame that is cut waits and is good", "if (clear) spill_bad <=", "if (1'b0) spill_bad <="],
      ["an ACK before a frame", /gives_ack = [^;]*;/, "gives_ack = is_free & answers & answer_ack;"],
    ];
    test.each(faults)("%s", async (name, from, to) => {
      await findsFault(look(name, plant(dut, from, to)));
    });
  });
});
