/** What the rigs of several designs need: capture files in and out. */
export { claimOutputs, type Input, readInput, readNamed } from "./capture-files.ts";
