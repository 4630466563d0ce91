/** Widths of numbers and addresses. */

/** Bits that hold 0 .. n. */
export const bitsFor = (n: number): number => Math.max(1, Math.ceil(Math.log2(n + 1)));
/** Bits of an address of `depth` words. */
export const addressBits = (depth: number): number => Math.max(1, Math.ceil(Math.log2(depth)));
