/** What the rigs of several designs need: capture files in and out, and what serves a design to this machine. */
export { claimOutputs, type Input, readInput, readNamed } from "./capture-files.ts";
export * from "./serve/index.ts";
