import { gbnFirst, type GbnVerdict } from "../wire/index.ts";
import { sequencePlus as plus, sequenceDistance } from "./sequence.ts";

export interface GbnAnswer {
  readonly nack: boolean;
  readonly sequence: number;
}

/** One session's receiving half. */
export class GbnReceiverModel {
  readonly #ackEvery: number;
  readonly #first: number;
  open = true;
  /** How often it was opened since reset, modulo 16. */
  life = 0;
  peer: string | undefined;
  expected: number;
  nacked = false;
  unacked = 0;

  constructor(o: { readonly ackEvery?: number; readonly first?: number } = {}) {
    this.#ackEvery = o.ackEvery ?? 100;
    this.#first = (o.first ?? gbnFirst) >>> 0;
    this.expected = this.#first;
  }

  /** Opened anew, or closed. */
  start(open: boolean): void {
    this.open = open;
    if (open) this.life = (this.life + 1) % 16;
    this.peer = undefined;
    this.expected = this.#first;
    this.nacked = false;
    this.unacked = 0;
  }

  /** A packet of DATA (`control` false) or an ACK or NACK, from `peer`; `room` tells whether an answer can be sent. */
  receive(
    sequence: number,
    peer: string,
    o: { readonly control?: boolean; readonly room?: boolean } = {},
  ): { readonly verdict: GbnVerdict; readonly answer?: GbnAnswer } {
    const room = o.room ?? true,
      control = o.control ?? false,
      gap = sequenceDistance(sequence, this.expected);
    if (!this.open || (this.peer === undefined ? control || gap !== 0 : this.peer !== peer))
      return { verdict: "stranger" };
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
