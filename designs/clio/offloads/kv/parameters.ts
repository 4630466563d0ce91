import { kvBody } from "../../wire/index.ts";
import type { OffloadParameters } from "../../offload/index.ts";

export interface KvParameters extends OffloadParameters {
  /** Buckets of the hash table, a power of two up to 2^24: 64 bytes each. 2^17 for the paper's 100,000 keys. */
  readonly buckets: number;
  /**
   * Bytes allocated at a time for values and further slots. The number is a power of two from 4 KB to 4 MB, best a
   * whole number of pages. Its first units hold what is free in it: 64 bytes, and 64 for each 32 KB.
   */
  readonly arenaBytes: number;
  /** Regions of 1 GB of virtual addresses that it may fill, from region 0 on. */
  readonly regions: number;
  /**
   * Slots and pairs that one search looks at, at most: the bound ends a search in memory whose content is damaged.
   * 15 to 65,535.
   */
  readonly mostLooks: number;
}

/** Defaults of the optional parameters. */
export const kvDefaults = { buckets: 2 ** 17, arenaBytes: 4 * 2 ** 20, regions: 16, mostLooks: 4095 } as const;

/** Blocks of memory are powers of two of units of this many bytes: 64 B to 2 KB. */
export const unitBytes = 64,
  unitShift = 6,
  classCount = 6;
/** Bytes of the largest block, a slab: smaller blocks are carved from it. */
export const slabUnits = 2 ** (classCount - 1);
/** Bits of a virtual address, and of the number of its unit. */
export const addressBits = 50,
  blockBits = addressBits - unitShift;
/** Bits of a value's size. */
export const sizeBits = 11;
/** Entries of a slot; the eighth word is the link to the next slot. */
export const entriesPerSlot = 7;

/**
 * Bytes of the largest value. Its block is written with one request and read with one, with the 12 bytes of `kvBody` in
 * front. The block is no larger than 2 KB.
 */
export const largestValue = (p: { readonly maxData: number }): number =>
  Math.min(p.maxData, unitBytes * slabUnits) - kvBody.bytes;

/** @throws RangeError with the field, its value and what it may be. */
export function checkParameters(p: KvParameters): void {
  const powerOfTwo = (name: string, v: number, least: number, most: number): void => {
    if (!Number.isInteger(Math.log2(v)) || v < least || v > most)
      throw new RangeError(`ClioKv: ${name} is ${v}; choose a power of two from ${least} to ${most}`);
  };
  powerOfTwo("buckets", p.buckets, 1, 2 ** 24);
  powerOfTwo("arenaBytes", p.arenaBytes, 2 * unitBytes * slabUnits, 2 ** 22);
  powerOfTwo("contexts", p.contexts, 2, 32);
  powerOfTwo("beatBytes", p.beatBytes, 8, 64);
  if (!Number.isInteger(p.regions) || p.regions < 1 || p.regions > 2 ** 20)
    throw new RangeError(`ClioKv: regions is ${p.regions}; choose a whole number from 1 to ${2 ** 20}`);
  if (!Number.isInteger(p.mostLooks) || p.mostLooks < 15 || p.mostLooks > 65_535)
    throw new RangeError(`ClioKv: mostLooks is ${p.mostLooks}; choose a whole number from 15 to 65535`);
  if (p.maxData < unitBytes)
    throw new RangeError(`ClioKv: maxData is ${p.maxData}; a slot has ${unitBytes} bytes, so choose that or more`);
}
