/** Which frames of a port count: the reference model. */

/** What the judge says of a frame. */
export interface SeenFrame {
  readonly good: boolean;
  readonly linked: boolean;
  /** It is an ACK or NACK. */
  readonly answer: boolean;
  readonly sequence: number;
  /** It needs no room, or there is some. */
  readonly fits: boolean;
}
export type LinkRefusal = "room" | "ahead" | "behind" | "bad" | "down";

const round = 2 ** 16;
/** How far `a` is ahead of `b`, round the end. */
export const ahead = (a: number, b: number): number => (((a - b) % round) + round) % round;

export class LinkReceiverModel {
  readonly #first: number;
  expected: number;
  /** A NACK is out, or due, since the sequence last went on. */
  nacked = false;
  /** NACKs that have become due. */
  nacks = 0;

  constructor(first = 0) {
    this.#first = this.expected = first;
  }
  restart(): void {
    this.expected = this.#first;
    this.nacked = false;
  }

  /** Whether a frame counts, and why one of a reliable port does not. */
  judge(f: SeenFrame, port: { readonly reliable: boolean; readonly down: boolean }) {
    if (!port.reliable) return { accept: f.good && f.fits };
    const data = f.good && f.linked && !f.answer;
    if (port.down) return { accept: f.good && f.fits && !f.linked, ...(data && { refusal: "down" as const }) };
    const refusal = this.#refusal(f, data);
    if (refusal === undefined && data) {
      this.expected = (this.expected + 1) % round;
      this.nacked = false;
    }
    if (refusal !== undefined && refusal !== "behind") this.#missing();
    return { accept: refusal === undefined && f.good && f.fits, ...(refusal !== undefined && { refusal }) };
  }
  #refusal(f: SeenFrame, data: boolean): LinkRefusal | undefined {
    if (!f.good) return "bad";
    if (!data) return undefined;
    const gap = ahead(f.sequence, this.expected);
    if (gap !== 0) return gap < round / 2 ? "ahead" : "behind";
    return f.fits ? undefined : "room";
  }
  #missing(): void {
    if (!this.nacked) this.nacks++;
    this.nacked = true;
  }
}
