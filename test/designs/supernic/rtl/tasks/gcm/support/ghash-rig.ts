/** Powers and GHASH together: hash keys and blocks in, hashes out, compared with the standard's algorithm. */
import { Ghash, HashPowers, HashWord } from "../../../../../../../designs/supernic/rtl/tasks/gcm/index.ts";
import {
  bit,
  connect,
  input,
  instance,
  module,
  output,
  sink,
  struct,
  uint,
} from "../../../../../../../hdl-dsl/index.ts";
import type { Bench, Random } from "../../../../../../../sim/index.ts";
import { numberOf } from "../../aes/support/aes-rig.ts";

export const GhashUnderTest = module(
  "GhashUnderTest",
  () => ({
    from: sink(struct({ key: uint(6), block: uint(128) })),
    stops: input(bit),
    done: output(struct({ valid: bit, key: uint(6) })),
    word: input(struct({ valid: bit, ...HashWord.fields })),
    hash: output(struct({ valid: bit, value: uint(128) })),
    idle: output(bit),
  }),
  io => {
    const powers = instance("powers", HashPowers()),
      hash = instance("hash", Ghash());
    connect(io.from, powers.from);
    powers.stops.set(io.stops);
    io.done.set(powers.done);
    hash.power.set(powers.power);
    hash.word.set(io.word);
    io.hash.set(hash.hash);
    io.idle.set(hash.idle);
  },
);
type B = Bench<ReturnType<typeof GhashUnderTest>["ports"]>;

/** SP 800-38D, section 6.3, bit by bit: the leftmost bit of a block is the coefficient of x^0. */
export function times(x: bigint, y: bigint): bigint {
  let z = 0n,
    v = y;
  for (let i = 127n; i >= 0n; i--) {
    if ((x >> i) & 1n) z ^= v;
    v = v & 1n ? (v >> 1n) ^ (0xe1n << 120n) : v >> 1n;
  }
  return z;
}
export const numeral = (block: Uint8Array): bigint => BigInt(`0x${Buffer.from(block).toString("hex")}`);
/** SP 800-38D, section 6.4. */
export const hashOf = (h: Uint8Array, blocks: readonly Uint8Array[]): bigint =>
  blocks.reduce((y, x) => times(y ^ numeral(x), numeral(h)), 0n);

interface Word {
  readonly key: number;
  readonly first: number;
  readonly last: number;
  readonly blocks: readonly Uint8Array[];
}
/** Cycles from a word until nothing of it is under way. */
const latency = 5;

export class GhashRig {
  readonly b: B;
  readonly keys = new Map<number, Uint8Array>();
  /** Cycles from a message's last word to its hash. */
  readonly latencies: number[] = [];
  readonly cycles: number[] = [];
  #words: Word[] = [];
  #awaited: { readonly is: bigint; sent: number }[] = [];
  #sent = 0;
  /** Whether a word came, in the cycles of the latency: the last one first. */
  #under: boolean[] = [];
  /** The chance of a cycle without a word. */
  readonly #pauses: number;

  constructor(b: B, pauses = 0) {
    this.b = b;
    this.#pauses = pauses;
    const { io } = b;
    io.from.valid.value = 0;
    io.stops.value = 0;
    io.word.valid.value = 0;
    b.onEdge({ sample: () => this.#sample(), drive: () => this.#drive() });
  }
  /** Gives a hash key. @returns cycles until its powers are there */
  async key(at: number, h: Uint8Array): Promise<number> {
    const { b } = this,
      began = b.cycle;
    b.io.from.valid.value = 1;
    b.io.from.payload.key.value = at;
    b.io.from.payload.block.value = numberOf(h);
    await b.cycles(1);
    b.io.from.valid.value = 0;
    await b.until(() => b.io.done.valid.value === 1);
    if (b.io.done.key.num !== at) throw new Error(`key ${b.io.done.key.num} is done, not ${at}`);
    this.keys.set(at, h);
    await b.cycles(1);
    return b.cycle - began;
  }
  /** A message under a key, cut into words of 0 to 4 blocks as `cut` says. */
  message(at: number, blocks: readonly Uint8Array[], cut: () => number): void {
    const h = this.keys.get(at);
    if (h === undefined) throw new Error(`there is no key ${at}`);
    const words: (readonly Uint8Array[])[] = [];
    for (let i = 0; i < blocks.length;) {
      // The first one has a block: that of what is authenticated beside.
      const n = Math.min(i === 0 ? Math.max(1, cut()) : cut(), blocks.length - i);
      words.push(blocks.slice(i, i + n));
      i += n;
    }
    words.forEach((w, i) =>
      this.#words.push({ key: at, first: i === 0 ? 1 : 0, last: i === words.length - 1 ? 1 : 0, blocks: w }),
    );
    this.#awaited.push({ is: hashOf(h, blocks), sent: NaN });
  }
  #drive(): void {
    const { word } = this.b.io;
    word.valid.value = 0;
    if (this.#pauses > 0 && this.b.random.chance(this.#pauses)) return;
    const next = this.#words.shift();
    if (next === undefined) return;
    const data = new Uint8Array(64);
    next.blocks.forEach((x, i) => data.set(x, 16 * i));
    word.valid.value = 1;
    word.key.value = next.key;
    word.first.value = next.first;
    word.last.value = next.last;
    word.blocks.value = next.blocks.length;
    word.data.value = numberOf(data);
    if (next.last === 1) (this.#awaited[this.#sent++] as { sent: number }).sent = this.b.cycle;
  }
  #sample(): void {
    const { hash, idle, word } = this.b.io;
    // From the cycle behind a word on, until all that it does is done.
    if ((idle.value === 1) === this.#under.includes(true))
      throw new Error(`cycle ${this.b.cycle}: idle is ${idle.value}, and words came ${JSON.stringify(this.#under)}`);
    this.#under = [word.valid.value === 1, ...this.#under].slice(0, latency);
    if (hash.valid.value !== 1) return;
    const due = this.#awaited.shift();
    this.#sent--;
    if (due === undefined) throw new Error("a hash that nobody asked for");
    const bytes = Buffer.alloc(16);
    const { value } = hash.value;
    for (let i = 0; i < 16; i++) bytes[i] = Number((value >> BigInt(8 * i)) & 255n);
    if (numeral(bytes) !== due.is) throw new Error(`the hash is ${bytes.toString("hex")}, not ${due.is.toString(16)}`);
    // Driven in one cycle, taken in the next.
    this.latencies.push(this.b.cycle - due.sent - 1);
    this.cycles.push(this.b.cycle);
  }
  async end(): Promise<void> {
    await this.b.until(() => this.#awaited.length === 0);
    await this.b.cycles(10);
    if (this.b.io.idle.value !== 1) throw new Error("something is under way at the end");
  }
}
export const someBlocks = (r: Random, n: number): Uint8Array[] =>
  Array.from({ length: n }, () => Uint8Array.from({ length: 16 }, () => r.between(0, 255)));
