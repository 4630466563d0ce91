/** Whole numbers by powers of two and by each other, rounded the way that leaves room. */
export const power = (bits: number): bigint => 1n << BigInt(bits);
export const upBy = (n: bigint, bits: number): bigint => (n + power(bits) - 1n) >> BigInt(bits);
export const upOf = (above: bigint, below: bigint): bigint => (above + below - 1n) / below;
export const atMost = (n: bigint, bits: number): bigint => (n < power(bits) ? n : power(bits) - 1n);
