/** What of SuperNIC can be built, and how it is named on the command line. */
export { blockNames, blockOf, blocksBeside, parseSettings, type Settings } from "./blocks.ts";
export { taskNamed } from "./tasks.ts";
