/** What is measured on the device in simulation. */
export {
  type ByCredits,
  type CoreFigures,
  measureByCredits,
  measureCore,
  measureThroughput,
  type Throughput,
} from "./core.ts";
export { type CipherRate, measureCiphers } from "./ciphers.ts";
export { type FairMeasured, measureFairStep } from "./fair-step.ts";
export {
  measureScaleOut,
  periodEpochs,
  type ScaleOutMeasured,
  scaleOutModel,
  scaleOutUnit,
  scaleOutUsers,
} from "./scale-out.ts";
export { recordedLoads } from "./recorded.ts";
export { frameFor, latencyOf, withMeasured } from "./measured-device.ts";
export { beatsOf, lineGbps, type Rate, rateOf } from "./rate.ts";
export { pushedOn, type Shown } from "./pushing.ts";
export type { StageCycles } from "./stages.ts";
export { branching, type ByLength, grouping, lengths, measureChaining, measureWays } from "./sequences.ts";
export { type Chain, type Change, chains, coreBeats, measureVpc, type VpcLoad, type VpcRate } from "./vpc/index.ts";
