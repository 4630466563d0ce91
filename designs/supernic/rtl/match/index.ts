/** Match and action: where a frame goes. */
export { Match } from "./match.ts";
export { matchHeadBytes, type MatchParameters } from "./records.ts";
export { ternary, TernaryWrite } from "./ternary.ts";
