/** How far `a` is behind (negative) or ahead of `b`, both of 32 bits, round the end. */
export const sequenceDistance = (a: number, b: number): number => (a - b) | 0;
/** The number `n` further than `a`, round the end. */
export const sequencePlus = (a: number, n: number): number => (a + n) >>> 0;
