/** What the rigs of several designs need: capture files in and out. */
export { claimOutputs, type Input, readInput } from "./capture-files.ts";
