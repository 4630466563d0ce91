/** Which slave an address belongs to. */
import type { Bit, UInt } from "../../types/value.ts";
import { constant } from "../../build/value.ts";

/** Addresses of a slave: `size` bytes from `base` on. */
export interface AddressRange {
  /** First address, a multiple of the size. */
  readonly base: number;
  /** Bytes, a power of two, 4096 or more: no burst crosses 4 KB. */
  readonly size: number;
}

const hex = (n: number): string => `0x${n.toString(16)}`;
/** @throws RangeError for a range that no comparison of high bits decides, or that meets another one */
export function checkRanges(ranges: readonly AddressRange[], addressBits: number, least = 4096): void {
  ranges.forEach(({ base, size }, i) => {
    if (!Number.isInteger(Math.log2(size)) || size < least)
      throw new RangeError(`Axi4Crossbar: slave ${i} has ${size} bytes; choose a power of two of ${least} or more`);
    if (base % size !== 0 || base + size > 2 ** addressBits)
      throw new RangeError(
        `Axi4Crossbar: slave ${i} begins at ${hex(base)}; choose a multiple of ${hex(size)} within ${addressBits} bits`,
      );
    ranges.slice(0, i).forEach((other, k) => {
      if (base < other.base + other.size && other.base < base + size)
        throw new RangeError(
          `Axi4Crossbar: slaves ${k} and ${i} share address ${hex(Math.max(base, other.base))}; part them`,
        );
    });
  });
}

/** Whether an address is within a range: its high bits alone are compared. */
export function within(address: UInt, { base, size }: AddressRange): Bit {
  const low = Math.log2(size);
  return low >= address.width ? constant(1, 1) : address.bits(low, address.width - low).eq(Math.floor(base / size));
}
