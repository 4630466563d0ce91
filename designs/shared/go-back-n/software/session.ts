import { gbnFirst, type GbnHeader, gbnTypes } from "../wire/index.ts";
import { type GbnAnswer, GbnReceiverModel } from "./receiver.ts";
import { GbnSenderModel } from "./sender.ts";

/** Times are in any one unit, that of `now`. */
export interface GbnSessionOptions {
  /** This side's slot, and the other's: on the wire as source and destination. */
  readonly slot: number;
  readonly session: number;
  /** Number of the first packet; default `gbnFirst`. */
  readonly first?: number;
  /** Without anything heard for so long, all that is unacknowledged is sent again. */
  readonly timeout: number;
  /** What is in order is acknowledged so much later at the latest, and with every `ackEvery`th packet. */
  readonly ackDelay: number;
  readonly ackEvery: number;
  /** Times in a row that it sends again without progress before it is given up; default never. */
  readonly tries?: number;
  /** Takes packets out; they may be lost. */
  readonly send: (header: GbnHeader, payload: Uint8Array) => void;
  /** Takes what comes in, in order and each once. */
  readonly deliver: (payload: Uint8Array) => void;
}

const nothing = new Uint8Array();

/**
 * One end of a Go-Back-N session: payloads in, payloads out, in order and each once, over a network that loses, repeats
 * and reorders. Whoever owns it calls `tick` when `due`.
 */
export class GbnSession {
  readonly #o: GbnSessionOptions;
  readonly #sender: GbnSenderModel<Uint8Array>;
  readonly #receiver: GbnReceiverModel;
  readonly #waiting: Uint8Array[] = [];
  #heard = 0;
  #unackedSince = 0;
  #silent = 0;
  /** Packets sent again. */
  resent = 0;

  constructor(o: GbnSessionOptions) {
    this.#o = o;
    const first = { first: o.first ?? gbnFirst };
    this.#sender = new GbnSenderModel(first);
    this.#receiver = new GbnReceiverModel({ ...first, ackEvery: o.ackEvery });
  }

  /** Nothing is on its way, and all that came is acknowledged. */
  get idle(): boolean {
    return this.#waiting.length === 0 && this.#sender.inFlight === 0 && this.#receiver.unacked === 0;
  }
  /** A payload given now would be sent at once. */
  get room(): boolean {
    return this.#waiting.length === 0 && this.#sender.room;
  }
  /** It sent again `tries` times and heard nothing new. */
  get failed(): boolean {
    return this.#o.tries !== undefined && this.#silent > this.#o.tries;
  }
  /** When `tick` has something to do; Infinity: not before something comes or is given. */
  get due(): number {
    const again = this.#sender.inFlight > 0 ? this.#heard + this.#o.timeout : Number.POSITIVE_INFINITY;
    return Math.min(
      again,
      this.#receiver.unacked > 0 ? this.#unackedSince + this.#o.ackDelay : Number.POSITIVE_INFINITY,
    );
  }

  /** Gives a payload to the session; while its window is full it waits. */
  put(payload: Uint8Array, now: number): void {
    this.#waiting.push(payload);
    this.#fill(now);
  }

  /** Does what is due. */
  tick(now: number): void {
    if (this.#sender.inFlight > 0 && now - this.#heard >= this.#o.timeout) {
      this.#heard = now;
      this.#silent++;
      if (!this.failed) this.#again(this.#sender.unacknowledged());
    }
    if (this.#receiver.unacked > 0 && now - this.#unackedSince >= this.#o.ackDelay) {
      const answer = this.#receiver.timer();
      if (answer !== undefined) this.#answer(answer);
    }
  }

  /** A packet of this session came. */
  take({ type, sequence }: Pick<GbnHeader, "type" | "sequence">, payload: Uint8Array, now: number): void {
    if (type !== gbnTypes.data) {
      const before = this.#sender.inFlight,
        again = this.#sender.hear(sequence, type === gbnTypes.nack);
      if (this.#sender.inFlight < before) this.#silent = 0;
      if (this.#sender.inFlight < before || again.length > 0) this.#heard = now;
      this.#again(again);
      this.#fill(now);
      return;
    }
    if (this.#receiver.unacked === 0) this.#unackedSince = now;
    const { verdict, answer } = this.#receiver.receive(sequence, "the other end");
    if (verdict === "accepted") this.#o.deliver(payload);
    if (answer !== undefined) this.#answer(answer);
  }

  #fill(now: number): void {
    while (this.#waiting.length > 0 && this.#sender.room) {
      const payload = this.#waiting.shift() as Uint8Array;
      if (this.#sender.inFlight === 0) this.#heard = now;
      this.#out(gbnTypes.data, this.#sender.send(payload), payload);
    }
  }
  #again(packets: readonly { readonly sequence: number; readonly packet: Uint8Array }[]): void {
    for (const { sequence, packet } of packets) {
      this.resent++;
      this.#out(gbnTypes.data, sequence, packet);
    }
  }
  #answer(a: GbnAnswer): void {
    this.#out(a.nack ? gbnTypes.nack : gbnTypes.ack, a.sequence, nothing);
  }
  #out(type: number, sequence: number, payload: Uint8Array): void {
    this.#o.send({ type, sequence, srcSlot: this.#o.slot, dstSlot: this.#o.session }, payload);
  }
}
