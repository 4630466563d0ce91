const pieceBytes = 4096;

/** Bytes of which few are used: pieces of 4 KB (the smallest page) that read as zero until written. */
export class SparseBytes {
  private readonly pieces = new Map<number, Uint8Array>();

  at(offset: number): number {
    return this.pieces.get(Math.floor(offset / pieceBytes))?.[offset % pieceBytes] ?? 0;
  }
  set(offset: number, value: number): void {
    this.piece(Math.floor(offset / pieceBytes))[offset % pieceBytes] = value;
  }

  read(offset: number, length: number): Uint8Array {
    const out = new Uint8Array(length);
    for (let i = 0; i < length;) {
      const at = (offset + i) % pieceBytes,
        n = Math.min(pieceBytes - at, length - i),
        p = this.pieces.get(Math.floor((offset + i) / pieceBytes));
      if (p) out.set(p.subarray(at, at + n), i);
      i += n;
    }
    return out;
  }

  /** Whether these bytes are here from `offset`. */
  holds(offset: number, bytes: Uint8Array): boolean {
    for (let i = 0; i < bytes.length;) {
      const at = (offset + i) % pieceBytes,
        n = Math.min(pieceBytes - at, bytes.length - i),
        p = this.pieces.get(Math.floor((offset + i) / pieceBytes));
      for (let k = 0; k < n; k++) if ((p === undefined ? 0 : p[at + k]) !== bytes[i + k]) return false;
      i += n;
    }
    return true;
  }

  write(offset: number, bytes: Uint8Array): void {
    for (let i = 0; i < bytes.length;) {
      const at = (offset + i) % pieceBytes,
        n = Math.min(pieceBytes - at, bytes.length - i);
      this.piece(Math.floor((offset + i) / pieceBytes)).set(bytes.subarray(i, i + n), at);
      i += n;
    }
  }

  private piece(number: number): Uint8Array {
    let p = this.pieces.get(number);
    if (!p) {
      p = new Uint8Array(pieceBytes);
      this.pieces.set(number, p);
    }
    return p;
  }
}
