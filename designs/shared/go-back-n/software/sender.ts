import { gbnFirst, gbnWindow } from "../wire/index.ts";
import { sequencePlus as plus, sequenceDistance } from "./sequence.ts";

/**
 * One session's sending half: numbers packets, keeps them until they are acknowledged, and repeats from the
 * first missing one.
 */
export class GbnSenderModel<T> {
  readonly #window: number;
  /** Last number acknowledged, last number given. */
  acked: number;
  sent: number;
  readonly #kept = new Map<number, T>();

  constructor(o: { readonly first?: number; readonly window?: number } = {}) {
    this.#window = o.window ?? gbnWindow;
    this.acked = this.sent = plus(o.first ?? gbnFirst, -1);
  }

  get inFlight(): number {
    return sequenceDistance(this.sent, this.acked);
  }
  get room(): boolean {
    return this.inFlight < this.#window;
  }

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
    for (; this.acked !== sequence >>> 0;) {
      this.acked = plus(this.acked, 1);
      this.#kept.delete(this.acked);
    }
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
