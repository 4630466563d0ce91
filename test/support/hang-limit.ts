import { vi } from "vitest";
import { hangMs } from "./hang-ms.ts";

export { hangMs };

/**
 * The tests and hooks of the calling file are decided by what they find, however long that takes. For files whose
 * programs, compilers and served nodes run in real time.
 */
export function onlyHangsEnd(): void {
  vi.setConfig({ testTimeout: hangMs, hookTimeout: hangMs });
}
