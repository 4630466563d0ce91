/** The monitors, and the loop that makes fair shares of what they count. */
export { demandLatency, DemandMonitor } from "./demand-monitor.ts";
export { FairLoop } from "./fair-loop.ts";
export { FairVectors } from "./fair-vectors.ts";
export {
  countedResources,
  drfOf,
  type FairParameters,
  fairUsers,
  portResource,
  resourceAt,
  resourcesOf,
  type SharedResource,
  typesOf,
  unitBits,
} from "./parameters.ts";
export { Decided, Offered, Place, Shown } from "./records.ts";
export { Tally, type TallyParameters } from "./tally.ts";
export { UseMonitor } from "./use-monitor.ts";
