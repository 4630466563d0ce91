/** An end in hardware with what stands around it: lanes, MAC, judge, class queues; and the rules that it must keep. */
import { padFrame } from "../../../../../../designs/shared/wire/index.ts";
import { ahead, LinkReceiverModel, type LinkRefusal } from "../../../../../../designs/supernic/model/index.ts";
import {
  linkAnswer,
  linkKind,
  pfcFrame,
  putShims,
  readPfc,
  snicEtherType,
  takeApart,
  type TakenApart,
} from "../../../../../../designs/supernic/wire/index.ts";
import { AxisSink, type Bench, never, type Pause, type Random, StreamSource } from "../../../../../../sim/index.ts";
import type { LinkEnd } from "./link-end.ts";
import { type EndParameters } from "./link-end.ts";

export type EndBench = Bench<ReturnType<typeof LinkEnd>["ports"]>;
export type EndIo = EndBench["io"];

/** A frame on a line; `bad`: its FCS is wrong. */
export interface LineFrame {
  readonly bytes: Uint8Array;
  readonly bad: boolean;
}
export interface GivenFrame {
  readonly bytes: Uint8Array;
  readonly class: number;
  readonly marked: boolean;
}
export interface EndOptions {
  readonly reliable: boolean;
  readonly p: EndParameters;
  readonly lanes?: () => Pause;
  readonly mac?: Pause;
  /** Whether the class queue has room for the frame that comes. */
  readonly room?: () => boolean;
}
export const macs = { src: 0x020000000001n, dst: 0x020000000002n };
const countNames = ["done", "lost", "marked", "long", "falseAck", "nacked", "timedOut"] as const,
  ownNames = ["ackSent", "nackSent", "pfcSent"] as const,
  refusals = ["room", "ahead", "behind", "bad", "down"] as const satisfies readonly LinkRefusal[];
const zeros = <N extends string>(names: readonly N[]): Record<N, number> =>
  Object.fromEntries(names.map(n => [n, 0])) as Record<N, number>;

export class HardwareEnd {
  readonly io: EndIo;
  readonly lanes;
  readonly tx: AxisSink;
  /** What it has let pass. */
  readonly taken: Uint8Array[] = [];
  /** Frames with a number, in the order of their numbers. */
  numbered: GivenFrame[] = [];
  readonly counts = zeros(countNames);
  readonly own = zeros(ownNames);
  readonly refused = zeros(refusals);
  readonly expectedRefused = zeros(refusals);
  readonly model: LinkReceiverModel;
  /** Whether the class queue has room for the frame that comes, and whether it needs it. */
  hasRoom: () => boolean;
  needsRoom: () => boolean = () => true;
  given = 0;
  taking = 0;
  txBeats = 0;
  /** First and last cycle of a beat on tx; of a frame's last beat into the ring. */
  readonly cycles: { readonly into: number[]; readonly out: number[] } = { into: [], out: [] };
  /** Frames that end marked bad. */
  broken = 0;
  restarts = 0;
  readonly #b: EndBench;
  readonly #random: Random;
  readonly #o: EndOptions;
  readonly #comes: { readonly frame: LineFrame; readonly due: number }[] = [];
  readonly #inLane: GivenFrame[][] = [[], []];
  #before: GivenFrame[] = [];
  #sent = 0;
  #at: { readonly frame: LineFrame; readonly fits: boolean } | undefined;
  #wasDown = false;
  #wasRestart = false;
  #inTx = false;
  #acked = 0;
  #now = 0;
  #resetting = false;
  /** Frames that leave, at their last beat. */
  onFrame: (frame: LineFrame, cycle: number) => void = () => undefined;

  constructor(b: EndBench, io: EndIo, o: EndOptions) {
    this.io = io;
    this.#b = b;
    this.#random = b.random;
    this.#o = o;
    this.model = new LinkReceiverModel(o.p.first);
    this.hasRoom = o.room ?? (() => true);
    const { sim } = b;
    const pause = o.lanes ?? (() => never);
    this.lanes = [
      new StreamSource(sim, io.lane0, { pause: pause() }),
      new StreamSource(sim, io.lane1, { pause: pause() }),
    ] as const;
    this.tx = new AxisSink(sim, io.tx, { pause: o.mac ?? never });
    io.config.reliable.value = o.reliable ? 1 : 0;
    io.config.mac.value = macs.src;
    io.config.partner.value = macs.dst;
    io.restart.value = io.full.value = io.seen.valid.value = io.pfc.valid.value = 0;
    b.onEdge({ sample: cycle => this.#sample(cycle), drive: cycle => this.#drive(cycle) });
  }

  /** Gives a frame to a lane. */
  give(lane: 0 | 1, frame: GivenFrame): void {
    const { bytes, marked } = frame,
      r = this.#random;
    this.given++;
    this.#inLane[lane]?.push(frame);
    for (let at = 0; at < bytes.length; at += 64) {
      const part = bytes.slice(at, at + 64),
        last = at + 64 >= bytes.length;
      const beat = Uint8Array.from({ length: 64 }, (_, i) => part[i] ?? r.between(1, 255));
      this.lanes[lane].send({
        data: BigInt(`0x${Buffer.from(beat).reverse().toString("hex")}`),
        keep: (1n << BigInt(part.length)) - 1n,
        last: last ? 1 : 0,
        user: last && marked ? 1 : 0,
        class: at === 0 ? frame.class : r.between(0, 7),
      });
    }
  }
  /** A frame comes over the line, at a cycle. */
  comes(frame: LineFrame, due = 0): void {
    this.#comes.push({ frame, due });
  }
  get coming(): number {
    return this.#comes.length;
  }
  /** All that was given is done or dropped. */
  get idle(): boolean {
    const { done, lost, marked, long } = this.counts;
    return done + lost + marked + long === this.given && this.lanes.every(l => l.pending === 0);
  }
  /** The design is reset: nothing is there of what was. */
  reset(beside: readonly HardwareEnd[] = []): void {
    const all = [this, ...beside];
    for (const e of all) e.#stop();
    this.#b.sim.reset(1);
    for (const e of all) e.#begin();
  }
  #stop(): void {
    for (const lane of this.lanes) lane.forget();
    this.#resetting = true;
    this.io.seen.valid.value = this.io.pfc.valid.value = 0;
  }
  #begin(): void {
    this.#resetting = false;
    for (const list of [...this.#inLane, this.#comes, this.numbered, this.#before, this.taken, this.tx.frames])
      list.splice(0);
    for (const counts of [this.counts, this.own, this.refused, this.expectedRefused])
      for (const name of Object.keys(counts)) (counts as Record<string, number>)[name] = 0;
    this.tx.monitor.restore({ begun: new Uint8Array(), start: -1 });
    this.model.restart();
    this.model.nacks = 0;
    this.given = this.taking = this.#sent = this.#acked = this.broken = this.restarts = 0;
    this.#at = undefined;
    this.#wasDown = this.#wasRestart = this.#inTx = false;
  }
  check(): void {
    for (const name of refusals)
      if (this.refused[name] !== this.expectedRefused[name])
        throw new Error(
          `${this.refused[name]} frames are refused for ${name}, and ${this.expectedRefused[name]} should be`,
        );
    if (this.own.nackSent > this.model.nacks)
      throw new Error(`${this.own.nackSent} NACKs have gone out, and ${this.model.nacks} were due`);
    if (this.broken > this.restarts + (this.#o.reliable ? 0 : this.given)) throw new Error("frames leave broken");
  }

  #sample(cycle: number): void {
    if (this.#resetting) return;
    this.#now = cycle;
    const { io } = this;
    for (const name of countNames) this.counts[name] += io.events[name].num;
    for (const name of ownNames) this.own[name] += io.events[name].num;
    for (const name of refusals) this.refused[name] += io.refused[name].num;
    const inside = this.taking - this.counts.done - this.counts.lost - this.counts.marked - this.counts.long;
    if (inside < 0) throw new Error(`cycle ${cycle}: ${-inside} frames more have left than came`);
    const down = io.down.num === 1,
      clears = (down && !this.#wasDown) || this.#wasRestart;
    this.#comesIn(clears || down);
    if (clears) this.#cleared();
    this.#goesOut(cycle);
    this.#judged(down);
    if (io.restart.num === 1) this.model.restart();
    this.#wasDown = down;
    this.#wasRestart = io.restart.num === 1;
  }
  #cleared(): void {
    this.restarts++;
    this.#before = this.numbered;
    this.numbered = [];
    this.#sent = 0;
    this.#acked = 0;
  }
  /** Frames into the ring, by their last beats. */
  #comesIn(dropped: boolean): void {
    const { io } = this;
    for (const [i, lane] of [io.lane0, io.lane1].entries()) {
      if (lane.valid.num === 0 || lane.ready.num === 0 || lane.payload.last.num === 0) continue;
      const frame = this.#inLane[i]?.shift();
      if (!frame) throw new Error("a frame that nobody gave");
      this.taking++;
      this.cycles.into.push(this.#now);
      const long = Math.ceil(frame.bytes.length / 64) > Math.ceil(this.#o.p.frameBytes / 64);
      if (!dropped && !long && !(this.#o.reliable && frame.marked)) this.numbered.push(frame);
    }
  }
  /** Frames to the MAC. */
  #goesOut(cycle: number): void {
    const { tx } = this.io;
    if (this.#inTx && tx.valid.num === 0) throw new Error(`cycle ${cycle}: the MAC starves within a frame`);
    if (tx.valid.num === 1 && tx.ready.num === 1) {
      this.txBeats++;
      if (!this.#inTx) this.cycles.out.push(cycle);
      this.#inTx = tx.payload.last.num === 0;
    }
    for (let f = this.tx.take(); f; f = this.tx.take()) {
      const frame = { bytes: f.bytes, bad: Number(f.user) !== 0 };
      if (frame.bad) this.broken++;
      this.#checkOut(frame);
      this.onFrame(frame, cycle);
    }
  }
  #checkOut({ bytes, bad }: LineFrame): void {
    if (typeOf(bytes) === snicEtherType.macControl) {
      same(bytes, pfcFrame(macs.src, readPfc(bytes)), "PFC");
      return;
    }
    if (!this.#o.reliable) {
      this.#checkPlain(bytes, bad);
      return;
    }
    if (bad) return;
    const { link } = takeApart(bytes);
    if (!link) throw new Error("a frame leaves a reliable port without a link shim");
    const first = this.#o.p.first ?? 0,
      acked = ahead(link.ack, (first + this.#acked) % 65536);
    if (this.model.expected !== link.ack && ahead(this.model.expected, link.ack) > 2000 && this.#before.length === 0)
      throw new Error(`number ${link.ack} is acknowledged, and ${this.model.expected} is expected`);
    if (acked < 32768) this.#acked += acked;
    if (link.kind !== linkKind.data) {
      same(
        bytes,
        linkAnswer(macs, link.kind === linkKind.nack ? "nack" : "ack", { class: 0, ack: link.ack }),
        "answer",
      );
      return;
    }
    const index = this.#sent + ((ahead(link.sequence, (first + this.#sent) % 65536) + 32768) % 65536) - 32768;
    const wanted = (f: GivenFrame | undefined) =>
      f && putShims(f.bytes, { link: { ...link, kind: linkKind.data, class: f.class, flags: 0 } });
    const now = wanted(this.numbered[index]);
    if (now && Buffer.compare(now, bytes) === 0) {
      this.#sent = Math.max(this.#sent, index + 1);
      return;
    }
    const is = (f: GivenFrame): boolean => Buffer.compare(wanted(f) ?? bytes.slice(1), bytes) === 0;
    if (this.#before.some(is)) return;
    throw new Error(`frame ${link.sequence} leaves, and is not what was given`);
  }
  #checkPlain(bytes: Uint8Array, bad: boolean): void {
    const frame = this.numbered[this.#sent++];
    if (!frame) throw new Error("a frame leaves that nobody gave");
    same(bytes, padFrame(frame.bytes), "frame");
    if (bad !== frame.marked) throw new Error("a frame's mark is another when it leaves");
  }
  /** What the receiver said of the frame that came. */
  #judged(down: boolean): void {
    const at = this.#at;
    this.#at = undefined;
    if (!at) return;
    const facts = factsOf(at.frame);
    const { accept, refusal } = this.model.judge(
      {
        good: facts !== undefined,
        linked: facts?.link !== undefined,
        answer: facts?.kind === "answer",
        sequence: facts?.link?.sequence ?? 0,
        fits: at.fits,
      },
      { reliable: this.#o.reliable, down },
    );
    if ((this.io.accept.num === 1) !== accept)
      throw new Error(`accept is ${this.io.accept.num}, and should be ${accept}`);
    if (refusal !== undefined) this.expectedRefused[refusal]++;
    if (accept && facts?.kind === "data") this.taken.push(facts.frame);
  }
  #drive(cycle: number): void {
    if (this.#resetting) return;
    const { seen, pfc } = this.io,
      r = this.#random,
      next = this.#comes[0];
    seen.valid.value = pfc.valid.value = 0;
    if (!next || next.due > cycle) return;
    this.#comes.shift();
    const known = factsOf(next.frame),
      needs = this.needsRoom(),
      room = this.hasRoom();
    this.#at = { frame: next.frame, fits: room || !needs };
    seen.valid.value = 1;
    seen.good.value = known ? 1 : 0;
    seen.linked.value = (known ? known.link !== undefined : r.chance(0.5)) ? 1 : 0;
    seen.kind.value = known?.kind ?? r.pick(["data", "answer", "pfc"] as const);
    seen.sequence.value = known?.link?.sequence ?? this.model.expected;
    seen.ack.value = known?.link?.ack ?? r.between(0, 65535);
    seen.nack.value = (known ? known.link?.kind === linkKind.nack : r.chance(0.5)) ? 1 : 0;
    seen.wantsRoom.value = needs ? 1 : 0;
    seen.room.value = room ? 1 : 0;
    if (known?.kind === "pfc") this.pause(readPfc(next.frame.bytes));
  }
  /** The partner pauses classes: seen in the coming cycle. */
  pause(times: Readonly<Record<number, number>>): void {
    const { pfc } = this.io;
    pfc.valid.value = 1;
    pfc.enabled.value = Object.keys(times).reduce((v, c) => v | (1 << Number(c)), 0);
    pfc.times.forEach((t, i) => {
      t.value = times[i] ?? this.#random.between(0, 65535);
    });
  }
}

const typeOf = (bytes: Uint8Array): number => ((bytes[12] ?? 0) << 8) | (bytes[13] ?? 0);
function same(bytes: Uint8Array, wanted: Uint8Array, what: string): void {
  if (Buffer.compare(bytes, wanted) !== 0)
    throw new Error(
      `the ${what} is\n${Buffer.from(bytes).toString("hex")}, not\n${Buffer.from(wanted).toString("hex")}`,
    );
}

type Facts = TakenApart & { readonly kind: "pfc" | "answer" | "data" };
/** What a judge says of a frame; nothing of one that is wrong. */
export function factsOf({ bytes, bad }: LineFrame): Facts | undefined {
  if (bad || bytes.length < 14) return undefined;
  try {
    const taken = takeApart(bytes);
    if (typeOf(bytes) === snicEtherType.macControl) {
      readPfc(bytes);
      return { ...taken, kind: "pfc" };
    }
    return { ...taken, kind: taken.link && taken.link.kind !== linkKind.data ? "answer" : "data" };
  } catch {
    return undefined;
  }
}

/** A frame of so many bytes, of no kind that a sNIC knows. */
export function plainFrame(r: Random, bytes: number): Uint8Array {
  const out = Uint8Array.from({ length: bytes }, () => r.between(0, 255));
  out[12] = 0x90;
  out[13] = r.between(0, 255);
  return out;
}
