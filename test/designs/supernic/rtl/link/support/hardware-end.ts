/** An end in hardware with what stands around it: lanes, MAC, judge, class queues. */
import { snicEtherType, takeApart } from "../../../../../../designs/supernic/wire/index.ts";
import { linkKind } from "../../../../../../designs/supernic/wire/index.ts";
import { AxisSink, type Bench, never, type Pause, type Random, StreamSource } from "../../../../../../sim/index.ts";
import type { LinkEnd } from "./link-end.ts";

export type EndIo = Bench<ReturnType<typeof LinkEnd>["ports"]>["io"];

/** A frame on a line. */
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
  readonly lanes?: Pause;
  readonly mac?: Pause;
  /** Frames for which the class queue has room. */
  readonly room?: () => boolean;
}
export const macs = { own: 0x020000000001n, partner: 0x020000000002n };

export class HardwareEnd {
  readonly io: EndIo;
  readonly #b: Bench<never>;
  readonly lanes;
  readonly tx: AxisSink;
  /** What it has let pass. */
  readonly taken: Uint8Array[] = [];
  readonly counts = { done: 0, lost: 0, marked: 0, long: 0, falseAck: 0, nacked: 0, timedOut: 0 };
  readonly own = { ackSent: 0, nackSent: 0, pfcSent: 0 };
  readonly refused = { room: 0, ahead: 0, behind: 0, bad: 0, down: 0 };
  given = 0;
  readonly #comes: LineFrame[] = [];
  #at: LineFrame | undefined;
  readonly #o: EndOptions;
  /** Frames that leave. */
  onFrame: (frame: LineFrame, cycle: number) => void = () => undefined;

  constructor(b: Bench<never>, io: EndIo, o: EndOptions) {
    this.io = io;
    this.#b = b;
    this.#o = o;
    const { sim } = b;
    this.lanes = [io.lane0, io.lane1].map(lane => new StreamSource(sim, lane, { pause: o.lanes ?? never }));
    this.tx = new AxisSink(sim, io.tx, { pause: o.mac ?? never });
    io.config.reliable.value = o.reliable ? 1 : 0;
    io.config.mac.value = macs.own;
    io.config.partner.value = macs.partner;
    io.restart.value = io.full.value = io.seen.valid.value = io.pfc.valid.value = 0;
    b.onEdge({ sample: cycle => this.#sample(cycle), drive: () => this.#drive() });
  }

  /** Gives a frame to a lane. */
  give(lane: number, { bytes, class: c, marked }: GivenFrame): void {
    this.given++;
    for (let at = 0; at < bytes.length; at += 64) {
      const part = bytes.slice(at, at + 64),
        last = at + 64 >= bytes.length;
      const beat = new Uint8Array(64);
      this.#b.random.fill?.(beat);
      beat.set(part);
      this.lanes[lane]?.send({
        data: BigInt(`0x${Buffer.from(beat).reverse().toString("hex")}`),
        keep: (1n << BigInt(part.length)) - 1n,
        last: last ? 1 : 0,
        user: last && marked ? 1 : 0,
        class: at === 0 ? c : this.#b.random.between(0, 7),
      });
    }
  }
  /** A frame comes over the line. */
  comes(frame: LineFrame): void {
    this.#comes.push(frame);
  }
  /** All that was given is done, and nothing waits. */
  get idle(): boolean {
    const { done, lost, marked, long } = this.counts;
    return done + lost + marked + long === this.given && this.lanes.every(l => l.pending === 0);
  }

  #sample(cycle: number): void {
    const { io } = this;
    for (const name of Object.keys(this.counts) as (keyof typeof this.counts)[])
      this.counts[name] += io.events[name].num;
    for (const name of Object.keys(this.own) as (keyof typeof this.own)[]) this.own[name] += io.events[name].num;
    for (const name of Object.keys(this.refused) as (keyof typeof this.refused)[])
      this.refused[name] += io.refused[name].num;
    if (this.#at && io.accept.value === 1 && isData(this.#at)) this.taken.push(takeApart(this.#at.bytes).frame);
    this.#at = undefined;
    for (let f = this.tx.take(); f; f = this.tx.take())
      this.onFrame({ bytes: f.bytes, bad: Number(f.user) !== 0 }, cycle);
  }
  #drive(): void {
    const { seen, pfc } = this.io;
    this.#at = this.#comes.shift();
    seen.valid.value = pfc.valid.value = 0;
    if (!this.#at) return;
    const known = factsOf(this.#at);
    seen.valid.value = 1;
    seen.good.value = known ? 1 : 0;
    seen.linked.value = known?.link ? 1 : 0;
    seen.kind.value = known?.kind ?? "data";
    seen.sequence.value = known?.link?.sequence ?? this.#b.random.between(0, 65535);
    seen.ack.value = known?.link?.ack ?? this.#b.random.between(0, 65535);
    seen.nack.value = known?.link?.kind === linkKind.nack ? 1 : 0;
    seen.wantsRoom.value = 1;
    seen.room.value = (this.#o.room ?? (() => true))() ? 1 : 0;
    if (known?.kind === "pfc") this.#pause(this.#at.bytes);
  }
  #pause(bytes: Uint8Array): void {
    const { pfc } = this.io;
    pfc.valid.value = 1;
    pfc.enabled.value = bytes[17] ?? 0;
    pfc.times.forEach((t, i) => {
      t.value = ((bytes[18 + 2 * i] ?? 0) << 8) | (bytes[19 + 2 * i] ?? 0);
    });
  }
}

/** What a judge says of a frame; nothing of one that is wrong. */
function factsOf({ bytes, bad }: LineFrame) {
  if (bad) return undefined;
  try {
    const { link } = takeApart(bytes);
    const pauses = ((bytes[12] ?? 0) << 8) | (bytes[13] ?? 0);
    const kind = pauses === snicEtherType.macControl ? "pfc" : link && link.kind !== linkKind.data ? "answer" : "data";
    return { link, kind } as const;
  } catch {
    return undefined;
  }
}
const isData = (frame: LineFrame): boolean => factsOf(frame)?.kind === "data";

/** A frame of so many bytes, of no kind that a sNIC knows. */
export function plainFrame(r: Random, bytes: number): Uint8Array {
  const out = Uint8Array.from({ length: bytes }, () => r.between(0, 255));
  out[12] = 0x90;
  out[13] = r.between(0, 255);
  return out;
}
