import { status } from "../../clio/wire/index.ts";
import { wordBytes } from "../wire/index.ts";
import type { Access, AccessAnswer } from "./interpret.ts";

/** A stretch of bytes from `base` on; whoever leaves it is answered INVALID, a write below `writable` WRITE_PERM. */
export class StretchMemory {
  readonly base: bigint;
  readonly bytes: Uint8Array;
  readonly writable: bigint;
  readonly #view: DataView;

  constructor(base: bigint, size: number, writable = base) {
    this.base = base;
    this.bytes = new Uint8Array(size);
    this.writable = writable;
    this.#view = new DataView(this.bytes.buffer);
  }

  word(va: bigint): bigint {
    return this.#view.getBigUint64(Number(va - this.base), true);
  }
  setWord(va: bigint, value: bigint): void {
    this.#view.setBigUint64(Number(va - this.base), BigInt.asUintN(64, value), true);
  }

  access({ kind, va, words, sent }: Access): AccessAnswer {
    const atomic = kind !== "load" && kind !== "store",
      answer = (...got: readonly bigint[]): AccessAnswer => ({ status: status.OK, words: got });
    if (atomic && va % BigInt(wordBytes) !== 0n) return { status: status.MALFORMED, words: [] };
    if (va < this.base || va + BigInt(words * wordBytes) > this.base + BigInt(this.bytes.length))
      return { status: status.INVALID, words: [] };
    if (kind !== "load" && va < this.writable) return { status: status.WRITE_PERM, words: [] };
    const at = (i: number): bigint => va + BigInt(i * wordBytes);
    if (kind === "load") return answer(...Array.from({ length: words }, (_, i) => this.word(at(i))));
    if (kind === "store") {
      sent.forEach((w, i) => this.setWord(at(i), w));
      return answer();
    }
    const old = this.word(va),
      [first = 0n, second = 0n] = sent;
    const after = { tas: old === 0n ? 1n : old, cas: old === first ? second : old, faa: old + first, put: first }[kind];
    this.setWord(va, after);
    return kind === "put" ? answer() : answer(old);
  }
}
