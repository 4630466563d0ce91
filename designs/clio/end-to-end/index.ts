/**
 * The end-to-end check of clio.md: random operations of many clients, every result judged. It knows clients,
 * and no simulator.
 */
export { SharedBytes } from "./bytes.ts";
export { endToEnd } from "./run.ts";
export type { RunOptions, RunResult } from "./options.ts";
