import { ProtocolError } from "../../../../sim/index.ts";

export interface BodyBeatValue {
  readonly data: bigint;
  readonly last: number;
}

/** The beats of a body: lane 0 of the first beat has its first byte, what lies behind its last byte is random. */
export function beatsOfBody(
  body: Uint8Array,
  beatBytes: number,
  random: { bytes(n: number): Uint8Array },
): BodyBeatValue[] {
  const beats: BodyBeatValue[] = [];
  for (let at = 0; at < body.length; at += beatBytes) {
    const lanes = random.bytes(beatBytes);
    lanes.set(body.subarray(at, at + beatBytes));
    let data = 0n;
    for (let i = beatBytes - 1; i >= 0; i--) data = (data << 8n) | BigInt(lanes[i] as number);
    beats.push({ data, last: at + beatBytes >= body.length ? 1 : 0 });
  }
  return beats;
}

interface Expected<H> {
  readonly header: H;
  readonly body: Uint8Array;
  at: number;
}

/**
 * Puts headers and the beats that follow them together, in their order, and checks that beats and `last` are what each
 * header's length says.
 */
export class BodyCollector<H> {
  readonly #stream: string;
  readonly #beatBytes: number;
  readonly #complete: (header: H, body: Uint8Array) => void;
  readonly #open: Expected<H>[] = [];
  /** Beats that came before their header. */
  readonly #early: BodyBeatValue[] = [];

  /** @param stream name of the stream of beats, for messages */
  constructor(stream: string, beatBytes: number, complete: (header: H, body: Uint8Array) => void) {
    this.#stream = stream;
    this.#beatBytes = beatBytes;
    this.#complete = complete;
  }

  /** Whether a beat is owed. */
  get owes(): boolean {
    return this.#open.length > 0;
  }
  /** Beats without a header. */
  get early(): number {
    return this.#early.length;
  }

  header(header: H, length: number): void {
    this.#open.push({ header, body: new Uint8Array(length), at: 0 });
    this.#settle();
  }
  beat(beat: BodyBeatValue): void {
    this.#early.push(beat);
    this.#settle();
  }
  forget(): void {
    this.#open.length = this.#early.length = 0;
  }

  #settle(): void {
    for (let first = this.#open[0]; first; first = this.#open[0]) {
      while (first.at < first.body.length) {
        const beat = this.#early.shift();
        if (!beat) return;
        this.#take(first, beat);
      }
      this.#open.shift();
      this.#complete(first.header, first.body);
    }
  }

  #take(body: Expected<H>, { data, last }: BodyBeatValue): void {
    const end = Math.min(body.body.length, body.at + this.#beatBytes),
      whole = body.body.length,
      ends = end === whole;
    if ((last !== 0) !== ends) {
      throw new ProtocolError(
        `${this.#stream}: last is ${last} on the beat of bytes ${body.at} to ${end - 1} of a body of ${whole} bytes; ` +
          `it marks the beat with byte ${whole - 1} and no other`,
      );
    }
    for (let value = data; body.at < end; body.at++, value >>= 8n) body.body[body.at] = Number(value & 0xffn);
  }
}
