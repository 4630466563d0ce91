/** Milliseconds: far above what a test takes on the slowest machine, so that only a hang is stopped by it. */
export const hangMs = 3_600_000;
