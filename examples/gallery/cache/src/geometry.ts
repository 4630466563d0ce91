/** Sizes of a cache, and what follows from them. */
import { type Axi4Parameters, bit, enumOf, struct, uint, type UInt, vec } from "mnemosyne";

export interface CacheParameters {
  readonly addressBits: number;
  /** Bytes of a word of the processor, and of a beat of memory's bus. */
  readonly wordBytes: number;
  /** Words of a line: 2, 4 ... 256. */
  readonly lineWords: number;
  /** 2 or more, a power of two. */
  readonly sets: number;
  /** 2 or more. */
  readonly ways: number;
}

export const Kind = enumOf("Kind", ["read", "write", "flush"]);
/** `flush` writes back all that memory does not have; its address means nothing. */
export const requestOf = (p: CacheParameters) =>
  struct({ kind: Kind, address: uint(p.addressBits), data: uint(8 * p.wordBytes), strobe: uint(p.wordBytes) });
/** `error`: memory refused, and the request was not done. */
export const answerOf = (p: CacheParameters) => struct({ data: uint(8 * p.wordBytes), error: bit });

const log2 = Math.log2;
/** @throws RangeError for sizes that no address can be cut by */
export function check(p: CacheParameters): void {
  for (const name of ["wordBytes", "lineWords", "sets"] as const)
    if (p[name] < 2 || !Number.isInteger(log2(p[name]))) throw new RangeError(`${name} = ${p[name]}: use 2, 4, 8 ...`);
  if (p.ways < 2) throw new RangeError(`ways = ${p.ways}: use 2 or more`);
}
export const setBits = (p: CacheParameters): number => log2(p.sets);
export const wordBits = (p: CacheParameters): number => log2(p.lineWords);
export const byteBits = (p: CacheParameters): number => log2(p.wordBytes);
export const tagBits = (p: CacheParameters): number => p.addressBits - setBits(p) - wordBits(p) - byteBits(p);

/** What is known of a set: its lines, and which of each two ways was used later. */
export const recordOf = (p: CacheParameters) =>
  struct({
    lines: vec(struct({ valid: bit, dirty: bit, tag: uint(tagBits(p)) }), p.ways),
    order: uint((p.ways * (p.ways - 1)) / 2),
  });

/** The parts of an address. */
export const partsOf = (p: CacheParameters, address: UInt): { tag: UInt; set: UInt; word: UInt } => ({
  tag: address.bits(p.addressBits - tagBits(p), tagBits(p)),
  set: address.bits(byteBits(p) + wordBits(p), setBits(p)),
  word: address.bits(byteBits(p), wordBits(p)),
});
export const busOf = (p: CacheParameters): Axi4Parameters => ({
  addressBits: p.addressBits,
  idBits: 1,
  beatBytes: p.wordBytes,
});
