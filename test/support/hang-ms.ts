/**
 * Milliseconds: far above what a test takes on the slowest machine, so that only a hang is stopped by it; short enough
 * that CI says which test hung before its own time is over.
 */
export const hangMs = 900_000;
