/** Match and action: where a frame goes. */
export { Match } from "./match.ts";
export {
  Action,
  MacEntry,
  MatchAction,
  MatchConfig,
  MatchDrop,
  matchHeadBytes,
  MatchKey,
  MatchOutcome,
  type MatchParameters,
  Outcome,
  portBits,
  UidEntry,
  uidIndexBits,
} from "./records.ts";
export { ternary, TernaryWrite } from "./ternary.ts";
