/** What is measured on the device in simulation. */
export {
  type ByCredits,
  type CoreFigures,
  measureByCredits,
  measureCore,
  measureThroughput,
  type Throughput,
} from "./core.ts";
export { beatsOf, lineGbps, type Rate } from "./rate.ts";
export type { StageCycles } from "./stages.ts";
export { branching, type ByLength, chaining, grouping, lengths, measureWays } from "./sequences.ts";
