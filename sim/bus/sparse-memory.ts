import { SimulationError } from "../errors.ts";
import { Random } from "../../hdl-dsl/index.ts";

export const PAGE_BYTES = 4096;

/** A page, as bytes and as 32-bit words of the same memory. */
export interface Page {
  readonly bytes: Uint8Array;
  readonly words: Uint32Array;
}

/** Size of a memory, and what stands in it before it is written. */
export interface SparseMemoryOptions {
  /** Bytes addressed; default 2^52. Only pages that are written take space. */
  readonly size?: number;
  /**
   * Content of memory before it is written: zeros, or bytes random by address and seed, which expose designs that rely
   * on zeros. Default zeros.
   */
  readonly fill?: "zeros" | { readonly seed: number };
}

/** A memory's part of a checkpoint. */
interface MemoryState {
  readonly pages: readonly { readonly number: number; readonly bytes: Uint8Array }[];
  readonly zeroed: readonly { from: number; to: number }[];
}

/** Terabytes of memory of which only the pages that are used exist. */
export class SparseMemory {
  readonly size: number;
  readonly #fill: "zeros" | { readonly seed: number };
  readonly #pages = new Map<number, Page>();
  /** Whole pages, from and to, that were zeroed: only kept where memory is not zero by itself. */
  readonly #zeroed: { from: number; to: number }[] = [];
  #lastNumber = -1;
  #last: Page | undefined;

  constructor(options: SparseMemoryOptions = {}) {
    this.size = options.size ?? 2 ** 52;
    this.#fill = options.fill ?? "zeros";
  }

  /** Pages that exist. */
  get pages(): number {
    return this.#pages.size;
  }

  /** The page at an address, made when it does not exist. */
  page(address: number): Page {
    const number = Math.floor(address / PAGE_BYTES);
    if (number === this.#lastNumber && this.#last) return this.#last;
    let page = this.#pages.get(number);
    if (!page) {
      const bytes =
        this.#fill === "zeros" || this.#zeroed.some(z => z.from <= number && number < z.to)
          ? new Uint8Array(PAGE_BYTES)
          : new Random(this.#fill.seed ^ Math.imul(number, 0x9e3779b1)).bytes(PAGE_BYTES);
      page = { bytes, words: new Uint32Array(bytes.buffer) };
      this.#pages.set(number, page);
    }
    this.#lastNumber = number;
    this.#last = page;
    return page;
  }

  /** `length` bytes from `address`. */
  read(address: number, length: number): Uint8Array {
    const out = new Uint8Array(length);
    this.#each(address, length, (page, at, from, n) => out.set(page.bytes.subarray(at, at + n), from));
    return out;
  }

  /** Writes bytes from `address`. */
  write(address: number, bytes: Uint8Array): void {
    this.#each(address, bytes.length, (page, at, from, n) => page.bytes.set(bytes.subarray(from, from + n), at));
  }

  /** Sets bytes to zero. Whole pages cost nothing, be they terabytes: those that exist are given back. */
  zero(address: number, length: number): void {
    if (!Number.isSafeInteger(address) || address < 0 || address + length > this.size)
      throw this.#outside(address, length);
    const first = Math.ceil(address / PAGE_BYTES),
      end = Math.floor((address + length) / PAGE_BYTES);
    const clear = (page: Page, at: number, _from: number, n: number): void => {
      page.bytes.fill(0, at, at + n);
    };
    if (end <= first) {
      this.#each(address, length, clear);
      return;
    }
    this.#each(address, first * PAGE_BYTES - address, clear);
    this.#each(end * PAGE_BYTES, address + length - end * PAGE_BYTES, clear);
    this.#drop(first, end);
    if (this.#fill === "zeros") return;
    const before = this.#zeroed.at(-1);
    if (before?.to === first) before.to = end;
    else this.#zeroed.push({ from: first, to: end });
  }

  /** A copy of what was written, for a checkpoint. */
  save(): unknown {
    const state: MemoryState = {
      pages: [...this.#pages].map(([number, page]) => ({ number, bytes: page.bytes.slice() })),
      zeroed: this.#zeroed.map(z => ({ ...z })),
    };
    return state;
  }
  restore(state: unknown): void {
    const s = state as MemoryState;
    this.#pages.clear();
    this.#last = undefined;
    for (const { number, bytes: kept } of s.pages) {
      // A page of a file lies anywhere in its bytes; words want a place that four divides.
      const bytes = Uint8Array.from(kept);
      this.#pages.set(number, { bytes, words: new Uint32Array(bytes.buffer) });
    }
    this.#zeroed.splice(0, this.#zeroed.length, ...s.zeroed);
  }

  /** Drops pages by number. */
  #drop(first: number, end: number): void {
    // A huge range holds far more page numbers than there are pages.
    if (end - first > this.#pages.size) {
      for (const number of this.#pages.keys()) if (number >= first && number < end) this.#pages.delete(number);
    } else for (let n = first; n < end; n++) this.#pages.delete(n);
    this.#last = undefined;
  }

  #outside(address: number, length: number): SimulationError {
    return new SimulationError(
      `memory: ${length} bytes at ${address} lie outside its ${this.size} bytes; give an address below that`,
    );
  }

  #each(address: number, length: number, f: (page: Page, at: number, from: number, n: number) => void): void {
    if (!Number.isSafeInteger(address) || address < 0 || address + length > this.size)
      throw this.#outside(address, length);
    for (let done = 0; done < length;) {
      const at = (address + done) % PAGE_BYTES,
        n = Math.min(PAGE_BYTES - at, length - done);
      f(this.page(address + done), at, done, n);
      done += n;
    }
  }
}
