/** The middle of the device: what is known of packets, and their way through the regions and back. */
export { Descriptors } from "./descriptors.ts";
export { Dispatch } from "./dispatch.ts";
export { PayloadJobs, type PayloadJobsParameters } from "./payload-jobs.ts";
export { BranchEnter, BranchLeave, Front, type PathParameters, Told } from "./records.ts";
export { regions } from "./regions.ts";
export {
  type Bitstreams,
  branchesOf,
  chainsOf,
  makeWaysOf,
  memoryWaysOf,
  nameOfContent,
  payloadWaysOf,
  type RegionContent,
  regionMemoryWays,
  type RegionsParameters,
  regionsPorts,
  type RegionsPorts,
  SlotConfig,
  trailerWaysOf,
} from "./regions-ports.ts";
export { Return } from "./return.ts";
