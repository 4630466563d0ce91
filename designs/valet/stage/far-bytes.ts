/**
 * What became of a try that failed. `moving`: nothing was done, since the region's writes are refused for now.
 * `unknown`: it may have been done, or be done for a while yet. `refused`: nothing was done, nor will be.
 */
export type Failure = "moving" | "unknown" | "refused";

/** Memory at the nodes, as the stage needs it. A read or a write lies within a page. */
export interface FarBytes {
  /** Waits while the region is read nowhere. */
  read(va: bigint, bytes: number): Promise<Uint8Array>;
  /** One try, which ends soon in any case. */
  tryWrite(va: bigint, data: Uint8Array): Promise<void>;
  /** Waits until the region has moved. */
  write(va: bigint, data: Uint8Array): Promise<void>;
  /** Adds to a word of 8 bytes, and waits as `write` does. @returns what was there */
  fetchAndAdd(va: bigint, addend: bigint): Promise<bigint>;
  failure(error: unknown): Failure;
  /** Resolves when nothing of a failed try can be under way any more. */
  quiet(): Promise<void>;
}
