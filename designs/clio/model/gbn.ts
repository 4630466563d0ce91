/**
 * Go-Back-N in plain TypeScript (wire-format.md "Go-Back-N build"): what the hardware of designs/clio/rtl/gbn_*.ts is held against, and what a client
 * needs to speak it. Sequence numbers are of 32 bits and wrap.
 */
import {
  concat, decode, encode, encodeInto, ethernetHeader, frameOffsets, gbnHeader, internetChecksum, ipv4Header, udpFrame, udpHeader, type Endpoint,
} from "../../packets/index.ts";
import { classify, type FilterSettings } from "./classify.ts";

export const gbnTypes = { ack: 1, nack: 2, data: 3 } as const;
export const gbnWindow = 128;

/** How far `a` is behind (negative) or ahead of `b`, round the end. */
export const sequenceDistance = (a: number, b: number): number => (a - b) | 0;
const plus = (a: number, n: number): number => (a + n) >>> 0;

export interface GbnHeader { readonly type: number; readonly sequence: number; readonly srcSlot: number; readonly dstSlot: number }

/** A Go-Back-N packet in a frame. */
export function gbnFrame(from: Endpoint, to: Endpoint, header: GbnHeader, payload: Uint8Array = new Uint8Array()): Uint8Array {
  return udpFrame(from, to, concat(encode(gbnHeader, { ...header, unused: 0 }), payload));
}

/** A frame as the node takes it for its own (rules.md, section 1), but for what its UDP payload must hold at least. */
export function isForNode(frame: Uint8Array, settings: FilterSettings): boolean {
  const v = classify(frame, settings);
  if (v.kind === "request") return true;
  if (v.kind !== "drop" || v.reason !== "dropShort" || frame.length < frameOffsets.clio) return false;
  const ip = decode(ipv4Header, frame, frameOffsets.network);
  if (ip.totalLength < ipv4Header.bytes + udpHeader.bytes) return false;
  // Made long enough for that last rule, it is a request.
  const longer = concat(frame.slice(0, frameOffsets.clio), new Uint8Array(2000)), udp = decode(udpHeader, frame, frameOffsets.transport);
  if (udp.length !== ip.totalLength - ipv4Header.bytes) return false;
  setLengths(longer, 1000);
  encodeInto(ipv4Header, { checksum: 0 }, longer, frameOffsets.network);
  const right = internetChecksum(frame, frameOffsets.network, frameOffsets.transport) === 0;
  encodeInto(ipv4Header, { checksum: internetChecksum(longer, frameOffsets.network, frameOffsets.transport) }, longer, frameOffsets.network);
  return right && classify(longer, { ...settings, mtuFrame: 4000 }).kind === "request";
}
function setLengths(frame: Uint8Array, udpBytes: number): void {
  encodeInto(ipv4Header, { totalLength: ipv4Header.bytes + udpBytes }, frame, frameOffsets.network);
  encodeInto(udpHeader, { length: udpBytes, checksum: 0 }, frame, frameOffsets.transport);
}
function fixChecksum(frame: Uint8Array): void {
  encodeInto(ipv4Header, { checksum: 0 }, frame, frameOffsets.network);
  encodeInto(ipv4Header, { checksum: internetChecksum(frame, frameOffsets.network, frameOffsets.transport) }, frame, frameOffsets.network);
}

/** The frame without its Go-Back-N header, sent from the MAC `src`. */
export function withoutGbn(frame: Uint8Array, src: bigint): Uint8Array {
  const out = concat(frame.slice(0, frameOffsets.clio), frame.slice(frameOffsets.clio + gbnHeader.bytes));
  encodeInto(ethernetHeader, { src }, out);
  setLengths(out, decode(udpHeader, frame, frameOffsets.transport).length - gbnHeader.bytes);
  fixChecksum(out);
  return out;
}
/** The frame with a Go-Back-N header, sent to the MAC `dst`. */
export function withGbn(frame: Uint8Array, header: GbnHeader, dst: bigint): Uint8Array {
  const out = concat(frame.slice(0, frameOffsets.clio), encode(gbnHeader, { ...header, unused: 0 }), frame.slice(frameOffsets.clio));
  encodeInto(ethernetHeader, { dst }, out);
  setLengths(out, decode(udpHeader, frame, frameOffsets.transport).length + gbnHeader.bytes);
  fixChecksum(out);
  return out;
}

/** What a receiver makes of a packet. */
export type GbnVerdict = "accepted" | "duplicate" | "ahead" | "stranger" | "refused";
export interface GbnAnswer { readonly nack: boolean; readonly sequence: number }

/** One session's receiving half. */
export class GbnReceiverModel {
  readonly #ackEvery: number;
  readonly #first: number;
  open = true;
  peer: string | undefined;
  expected: number;
  nacked = false;
  unacked = 0;

  constructor(o: { readonly ackEvery?: number; readonly first?: number } = {}) {
    this.#ackEvery = o.ackEvery ?? 100;
    this.#first = (o.first ?? 1) >>> 0;
    this.expected = this.#first;
  }

  /** Opened anew, or closed. */
  start(open: boolean): void {
    this.open = open; this.peer = undefined; this.expected = this.#first; this.nacked = false; this.unacked = 0;
  }

  /** A packet of DATA (`control` false) or an ACK or NACK, from `peer`; `room` tells whether an answer can be sent. */
  receive(sequence: number, peer: string, o: { readonly control?: boolean; readonly room?: boolean } = {}): { readonly verdict: GbnVerdict; readonly answer?: GbnAnswer } {
    const room = o.room ?? true, control = o.control ?? false, gap = sequenceDistance(sequence, this.expected);
    if (!this.open || (this.peer === undefined ? control || gap !== 0 : this.peer !== peer)) return { verdict: "stranger" };
    if (control) return { verdict: "accepted" };
    if (gap === 0) {
      const due = this.unacked + 1 === this.#ackEvery;
      if (due && !room) return { verdict: "refused" };
      this.peer = peer;
      this.expected = plus(this.expected, 1);
      this.nacked = false;
      this.unacked = due ? 0 : this.unacked + 1;
      return due ? { verdict: "accepted", answer: { nack: false, sequence } } : { verdict: "accepted" };
    }
    const nack = gap > 0;
    if (nack && this.nacked) return { verdict: "ahead" };
    if (!room) return { verdict: "refused" };
    if (nack) this.nacked = true;
    this.unacked = 0;
    return { verdict: nack ? "ahead" : "duplicate", answer: { nack, sequence: plus(this.expected, -1) } };
  }

  /** The timer of the delayed ACK. */
  timer(): GbnAnswer | undefined {
    if (this.unacked === 0) return undefined;
    this.unacked = 0;
    return { nack: false, sequence: plus(this.expected, -1) };
  }
}

/** One session's sending half: numbers packets, keeps them until they are acknowledged, and repeats from the first missing one. */
export class GbnSenderModel<T> {
  readonly #window: number;
  /** Last number acknowledged, last number given. */
  acked: number;
  sent: number;
  readonly #kept = new Map<number, T>();

  constructor(o: { readonly first?: number; readonly window?: number } = {}) {
    this.#window = o.window ?? gbnWindow;
    this.acked = this.sent = plus(o.first ?? 1, -1);
  }

  get inFlight(): number { return sequenceDistance(this.sent, this.acked); }
  get room(): boolean { return this.inFlight < this.#window; }

  /** @returns the number of the new packet. @throws when the window is full. */
  send(packet: T): number {
    if (!this.room) throw new Error(`the window of ${this.#window} packets is full`);
    this.sent = plus(this.sent, 1);
    this.#kept.set(this.sent, packet);
    return this.sent;
  }

  /** An ACK or NACK came. @returns what is to be sent again, in order. */
  hear(sequence: number, nack: boolean): readonly { readonly sequence: number; readonly packet: T }[] {
    const n = sequenceDistance(sequence, this.acked);
    if (n < 0 || n > this.inFlight) return [];
    for (; this.acked !== sequence >>> 0;) { this.acked = plus(this.acked, 1); this.#kept.delete(this.acked); }
    return nack ? this.unacknowledged() : [];
  }

  /** What a timeout sends again. */
  unacknowledged(): readonly { readonly sequence: number; readonly packet: T }[] {
    return Array.from({ length: this.inFlight }, (_, i) => {
      const sequence = plus(this.acked, i + 1);
      return { sequence, packet: this.#kept.get(sequence) as T };
    });
  }
}
