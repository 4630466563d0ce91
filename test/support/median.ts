/** The middle one of the numbers, the upper of two; 0 of none. */
export const median = (of: readonly number[]): number => [...of].sort((a, b) => a - b)[of.length >> 1] ?? 0;
