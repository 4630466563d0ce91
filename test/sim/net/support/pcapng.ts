/** Captures in the pcapng format, built by hand in either byte order: what our writer never writes. */
interface Option {
  readonly code: number;
  readonly value: Uint8Array;
}
const padded = (n: number): number => Math.ceil(n / 4) * 4;

export class Pcapng {
  readonly #little: boolean;
  constructor(little: boolean) {
    this.#little = little;
  }
  #bytes(length: number, write: (v: DataView) => void): Uint8Array {
    const out = new Uint8Array(length);
    write(new DataView(out.buffer));
    return out;
  }
  words = (...list: readonly number[]): Uint8Array =>
    this.#bytes(4 * list.length, v => list.forEach((w, i) => v.setUint32(4 * i, w >>> 0, this.#little)));
  /** A signed number of 64 bits. */
  long = (n: bigint): Uint8Array => this.#bytes(8, v => v.setBigInt64(0, n, this.#little));
  #halves = (a: number, b: number): Uint8Array =>
    this.#bytes(4, v => {
      v.setUint16(0, a, this.#little);
      v.setUint16(2, b, this.#little);
    });
  #options = (list: readonly Option[]): Uint8Array =>
    Buffer.concat([
      ...list.flatMap(({ code, value }) => [
        this.#halves(code, value.length),
        Buffer.concat([value], padded(value.length)),
      ]),
      this.words(0),
    ]);
  block(type: number, body: Uint8Array): Uint8Array {
    const length = 12 + padded(body.length);
    return Buffer.concat([this.words(type, length), Buffer.concat([body], padded(body.length)), this.words(length)]);
  }
  section = (): Uint8Array =>
    this.block(0x0a0d0d0a, Buffer.concat([this.words(0x1a2b3c4d), this.#halves(1, 0), this.words(-1, -1)]));
  interface({ link = 1, snap = 0, options = [] as readonly Option[] } = {}): Uint8Array {
    return this.block(1, Buffer.concat([this.#halves(link, 0), this.words(snap), this.#options(options)]));
  }
  enhanced(
    number: number,
    time: bigint,
    frame: Uint8Array,
    { options = [] as readonly Option[], original = frame.length } = {},
  ): Uint8Array {
    const high = Number(time >> 32n),
      low = Number(time & 0xffff_ffffn);
    return this.block(
      6,
      Buffer.concat([
        this.words(number, high, low, frame.length, original),
        Buffer.concat([frame], padded(frame.length)),
        ...(options.length > 0 ? [this.#options(options)] : []),
      ]),
    );
  }
  simple = (frame: Uint8Array, original = frame.length): Uint8Array =>
    this.block(3, Buffer.concat([this.words(original), frame]));
}
export const joined = (...parts: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts));
