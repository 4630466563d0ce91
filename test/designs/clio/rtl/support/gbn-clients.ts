/** Clients that speak Go-Back-N, and a channel between them and a node that loses, repeats and reorders frames, both ways. */
import { gbnFrame, gbnTypes, GbnReceiverModel, GbnSenderModel, type GbnAnswer } from "../../../../../designs/clio/model/index.ts";
import { decode, ethernetHeader, frameOffsets, gbnHeader, ipv4Header, udpHeader, type Endpoint } from "../../../../../designs/packets/index.ts";
import type { Random } from "../../../../../sim/index.ts";

export interface ChannelOptions { readonly loss: number; readonly duplication: number; readonly reordering: number; readonly delay: number }

/** Frames on their way: each comes after `delay` cycles, or not, or twice, or later than others. */
export class Channel {
  readonly #random: Random;
  readonly #o: ChannelOptions;
  readonly #under: { readonly due: number; readonly frame: Uint8Array }[] = [];
  lost = 0;
  constructor(random: Random, o: ChannelOptions) { this.#random = random; this.#o = o; }
  get empty(): boolean { return this.#under.length === 0; }
  put(frame: Uint8Array, now: number): void {
    const r = this.#random;
    if (r.bool(this.#o.loss)) { this.lost++; return; }
    for (let n = r.bool(this.#o.duplication) ? 2 : 1; n > 0; n--) this.#under.push({ due: now + this.#o.delay + (r.bool(this.#o.reordering) ? r.int(1, 400) : 0), frame });
  }
  take(now: number): readonly Uint8Array[] {
    const out = this.#under.filter(f => f.due <= now).map(f => f.frame);
    if (out.length > 0) this.#under.splice(0, this.#under.length, ...this.#under.filter(f => f.due > now));
    return out;
  }
}

export interface ClientOptions {
  readonly self: Endpoint; readonly node: Endpoint; readonly slot: number; readonly session: number; readonly first: number;
  /** Cycles after which it sends again, and acknowledges what it has not yet. */
  readonly timeout: number; readonly ackDelay: number; readonly ackEvery: number;
  /** What takes its frames. */
  readonly send: (frame: Uint8Array) => void;
  /** A reply in order: the payload behind the Go-Back-N header. */
  readonly reply: (payload: Uint8Array) => void;
}

/** One session from the client's side: sends requests in order, takes replies in order. */
export class GbnClient {
  readonly #o: ClientOptions;
  readonly #sender: GbnSenderModel<Uint8Array>;
  readonly #receiver: GbnReceiverModel;
  readonly #waiting: Uint8Array[] = [];
  #heard = 0;
  #unacked = 0;
  resent = 0;
  constructor(o: ClientOptions) {
    this.#o = o;
    this.#sender = new GbnSenderModel({ first: o.first });
    this.#receiver = new GbnReceiverModel({ first: o.first, ackEvery: o.ackEvery });
  }
  get idle(): boolean { return this.#waiting.length === 0 && this.#sender.inFlight === 0 && this.#receiver.unacked === 0; }

  request(payload: Uint8Array): void { this.#waiting.push(payload); }
  tick(now: number): void {
    while (this.#waiting.length > 0 && this.#sender.room) {
      const payload = this.#waiting.shift() as Uint8Array;
      if (this.#sender.inFlight === 0) this.#heard = now;
      this.#data(this.#sender.send(payload), payload);
    }
    if (this.#sender.inFlight > 0 && now - this.#heard > this.#o.timeout) { this.#heard = now; this.#again(this.#sender.unacknowledged()); }
    if (this.#receiver.unacked > 0 && now - this.#unacked > this.#o.ackDelay) { const a = this.#receiver.timer(); if (a !== undefined) this.#answer(a); }
  }
  /** A frame for this client came. */
  take(frame: Uint8Array, now: number): void {
    const h = decode(gbnHeader, frame, frameOffsets.clio);
    if (h.type !== gbnTypes.data) {
      const before = this.#sender.inFlight, again = this.#sender.hear(h.sequence, h.type === gbnTypes.nack);
      if (this.#sender.inFlight < before || again.length > 0) this.#heard = now;
      this.#again(again);
      return;
    }
    if (this.#receiver.unacked === 0) this.#unacked = now;
    const { verdict, answer } = this.#receiver.receive(h.sequence, "the node");
    const udp = decode(udpHeader, frame, frameOffsets.transport);
    if (verdict === "accepted") this.#o.reply(frame.slice(frameOffsets.clio + gbnHeader.bytes, frameOffsets.transport + udp.length));
    if (answer !== undefined) this.#answer(answer);
  }
  #again(packets: readonly { readonly sequence: number; readonly packet: Uint8Array }[]): void {
    for (const { sequence, packet } of packets) { this.resent++; this.#data(sequence, packet); }
  }
  #data(sequence: number, payload: Uint8Array): void { this.#frame(gbnTypes.data, sequence, payload); }
  #answer(a: GbnAnswer): void { this.#frame(a.nack ? gbnTypes.nack : gbnTypes.ack, a.sequence, new Uint8Array()); }
  #frame(type: number, sequence: number, payload: Uint8Array): void {
    this.#o.send(gbnFrame(this.#o.self, this.#o.node, { type, sequence, srcSlot: this.#o.slot, dstSlot: this.#o.session }, payload));
  }
}

/** Where a frame goes, as far as Go-Back-N is in it. */
export function addressed(frame: Uint8Array): { readonly mac: bigint; readonly ip: number; readonly port: number; readonly header: { readonly type: number; readonly sequence: number; readonly srcSlot: number; readonly dstSlot: number } } {
  const h = decode(gbnHeader, frame, frameOffsets.clio);
  return {
    mac: decode(ethernetHeader, frame).dst, ip: decode(ipv4Header, frame, frameOffsets.network).dst, port: decode(udpHeader, frame, frameOffsets.transport).dstPort,
    header: { type: h.type, sequence: h.sequence, srcSlot: h.srcSlot, dstSlot: h.dstSlot },
  };
}
