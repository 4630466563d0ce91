import { vi } from "vitest";

/** Milliseconds: far above what a test takes on the slowest machine, so that only a hang is stopped by it. */
export const hangMs = 3_600_000;

/**
 * The tests and hooks of the calling file are decided by what they find, however long that takes. For files whose
 * programs, compilers and served nodes run in real time.
 */
export function onlyHangsEnd(): void {
  vi.setConfig({ testTimeout: hangMs, hookTimeout: hangMs });
}
