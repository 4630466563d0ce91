/** Regions that move between two memory nodes, and what those who use them notice. */
export { ClusterBytes, type ClusterBytesOptions } from "./cluster-bytes.ts";
export {
  measureMoves,
  type Move,
  type Moved,
  type MovesOptions,
  recordBytes,
  type Victim,
  victims,
  type Way,
  ways,
} from "./moves.ts";
export { home, insist, type Pair, pageBytes, type PairOptions, quietNs, withPair } from "./pair.ts";
export { runVerb } from "./run-verb.ts";
