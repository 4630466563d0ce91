/** Where a frame must go. */
export { type MacRule, matchFrame, type MatchSettings, type Matched, type Rule, type UidRule } from "./match.ts";
