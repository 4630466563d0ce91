/** What tasks see of memory: spaces of bytes that begin as zeros, and what is refused (docs/supernic/memory.md). */

/** Bytes that a piece of an access never crosses. */
const window = 4096;

export interface ModelSpace {
  /** Pages, and whether the task may write. */
  readonly limit: number;
  readonly write: boolean;
}
/** A piece of an access: its bytes; `denied` ends the access. */
export interface ModelPiece {
  readonly from: number;
  readonly bytes: number;
  readonly denied: boolean;
}

export class MemoryModel {
  readonly pageBytes: number;
  readonly #spaces = new Map<number, ModelSpace>();
  readonly #bytes = new Map<string, Uint8Array>();

  constructor(pageBytes: number) {
    this.pageBytes = pageBytes;
  }
  create(number: number, space: ModelSpace): void {
    this.#spaces.set(number, space);
  }
  /** All that it held is gone. */
  destroy(number: number): void {
    this.#spaces.delete(number);
    for (const key of this.#bytes.keys()) if (key.startsWith(`${number}.`)) this.#bytes.delete(key);
  }
  /** What an access of a way with this space, or none, falls into. */
  pieces(space: number | undefined, write: boolean, address: number, bytes: number): readonly ModelPiece[] {
    const pieces: ModelPiece[] = [];
    for (let from = address, left = bytes; left > 0;) {
      const n = Math.min(left, window - (from % window)),
        denied = !this.#may(space, write, from);
      pieces.push({ from, bytes: n, denied });
      if (denied) break;
      from += n;
      left -= n;
    }
    return pieces;
  }
  #may(number: number | undefined, write: boolean, at: number): boolean {
    const space = number === undefined ? undefined : this.#spaces.get(number);
    return space !== undefined && Math.floor(at / this.pageBytes) < space.limit && (!write || space.write);
  }
  #page(space: number, at: number): Uint8Array {
    const key = `${space}.${Math.floor(at / this.pageBytes)}`,
      known = this.#bytes.get(key) ?? new Uint8Array(this.pageBytes);
    this.#bytes.set(key, known);
    return known;
  }
  /** A piece's bytes. */
  read(space: number, { from, bytes }: ModelPiece): Uint8Array {
    const at = from % this.pageBytes;
    return this.#page(space, from).slice(at, at + bytes);
  }
  write(space: number, { from }: ModelPiece, bytes: Uint8Array): void {
    this.#page(space, from).set(bytes, from % this.pageBytes);
  }
}
