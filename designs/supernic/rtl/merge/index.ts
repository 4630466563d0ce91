/** The merge: frames of all inlets become packets inside, as far as their users may have them there. */
export { Accounts } from "./accounts.ts";
export { Merge } from "./merge.ts";
export { loopContexts, MergeEvents, type MergeParameters } from "./ports.ts";
export { blindTakes } from "./records.ts";
export { giving, isPositive, tokensLeft } from "./tokens.ts";
