/** The other end of a reliable link, in software; and the line between, which loses, doubles and damages frames. */
import { decode, ethernetHeader } from "../../../../../designs/shared/wire/index.ts";
import { LinkLine, LinkReceiverModel } from "../../../../../designs/supernic/model/index.ts";
import {
  linkAnswer,
  linkKind,
  putShims,
  snicEtherType,
  takeApart,
} from "../../../../../designs/supernic/wire/index.ts";
import type { Random } from "../../../../../sim/index.ts";

export interface LineFaults {
  readonly lose: number;
  readonly double: number;
  readonly damage: number;
}
/** Frames under way at once; cycles without progress until they go again; and until an ACK goes alone. */
const window = 32,
  patience = 3_000,
  ackAfter = 300,
  ackEvery = 8;

/** A frame on its way to the device. */
export type ToLine = (frame: Uint8Array, damaged: boolean) => void;

export class ReliablePeer {
  readonly #r: Random;
  readonly #faults: LineFaults;
  readonly #toLine: ToLine;
  readonly #receiver = new LinkReceiverModel();
  /** What each end gives to the line. */
  readonly device: LinkLine;
  readonly own: LinkLine;
  readonly #frames: Uint8Array[] = [];
  #done = 0;
  #next = 0;
  #since = 0;
  #owed = 0;
  #silent = 0;
  #nacks = 0;
  /** Told of each frame of its own when it is sent for the first time, as it is on the line; and of each that came. */
  onFirst: (frame: Uint8Array) => void = () => undefined;
  onFrame: (frame: Uint8Array) => void = () => undefined;

  constructor(r: Random, faults: LineFaults, toLine: ToLine) {
    this.#r = r;
    this.#faults = faults;
    this.#toLine = toLine;
    this.own = new LinkLine("the peer", () => this.device);
    this.device = new LinkLine("the device", () => this.own);
  }
  send(frame: Uint8Array): void {
    this.#frames.push(frame);
  }
  /** All that is to be sent has come. */
  get idle(): boolean {
    return this.#done === this.#frames.length && this.#owed === 0;
  }
  /** A frame of the device, as it stands on the line before anything happens to it. */
  leaves(frame: Uint8Array): void {
    if (decode(ethernetHeader, frame).etherType === snicEtherType.macControl) return;
    this.device.send(frame);
    this.#pass(frame, (arrived, damaged) => this.#comes(arrived, damaged));
  }
  #pass(frame: Uint8Array, to: ToLine): void {
    const { lose, double, damage } = this.#faults;
    if (this.#r.chance(lose)) return;
    to(frame, this.#r.chance(damage));
    if (this.#r.chance(double)) to(frame, this.#r.chance(damage));
  }
  #comes(frame: Uint8Array, damaged: boolean): void {
    const { link } = takeApart(frame);
    const { accept, refusal } = this.#receiver.judge(
      {
        good: !damaged,
        linked: link !== undefined,
        answer: link !== undefined && link.kind !== linkKind.data,
        sequence: link?.sequence ?? 0,
        fits: true,
      },
      { reliable: true, down: false },
    );
    if (!damaged && link !== undefined) this.#hear(link.ack, link.kind === linkKind.nack);
    if (accept && link?.kind === linkKind.data) {
      this.onFrame(frame);
      this.#owed++;
    }
    if (refusal === "behind") this.#owed = ackEvery;
  }
  #hear(ack: number, nack: boolean): void {
    const more = (ack - this.#done) & 0xffff;
    if (more <= this.#frames.length - this.#done) {
      if (more > 0) this.#since = 0;
      this.#done += more;
      this.#next = Math.max(this.#next, this.#done);
    }
    if (nack) this.#next = this.#done;
  }
  /** A cycle. @param mayBegin the line is free for one more frame */
  cycle(mayBegin: boolean): void {
    this.#since = this.#done === this.#frames.length ? 0 : this.#since + 1;
    this.#silent = this.#owed === 0 ? 0 : this.#silent + 1;
    if (this.#since > patience) {
      this.#since = 0;
      this.#next = this.#done;
    }
    if (!mayBegin) return;
    if (this.#nacks < this.#receiver.nacks) {
      this.#nacks = this.#receiver.nacks;
      this.#give(this.#answer("nack"));
    } else if (this.#owed >= ackEvery || this.#silent > ackAfter) this.#give(this.#answer("ack"));
    else if (this.#next < Math.min(this.#frames.length, this.#done + window)) this.#data();
  }
  #answer(kind: "ack" | "nack"): Uint8Array {
    this.#owed = 0;
    return linkAnswer({ dst: 0x0180c200000en, src: 0x025f_0000_0099n }, kind, {
      class: 0,
      ack: this.#receiver.expected,
    });
  }
  #data(): void {
    const number = this.#next++,
      frame = putShims(this.#frames[number] ?? new Uint8Array(), {
        link: { kind: linkKind.data, class: 0, flags: 0, sequence: number & 0xffff, ack: this.#receiver.expected },
      });
    this.#owed = 0;
    if (number === this.own.sent) this.onFirst(frame);
    this.#give(frame);
  }
  #give(frame: Uint8Array): void {
    this.own.send(frame);
    this.#pass(frame, this.#toLine);
  }
}
