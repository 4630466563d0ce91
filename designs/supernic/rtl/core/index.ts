/** The middle of the device: what is known of packets, and their way through the regions and back. */
export { Descriptors } from "./descriptors.ts";
export { Dispatch } from "./dispatch.ts";
export { PayloadJobs, type PayloadJobsParameters } from "./payload-jobs.ts";
export { BranchEnter, BranchLeave, Front, type PathParameters, Told } from "./records.ts";
export { regions, type RegionsParameters, type RegionsPorts, SlotConfig } from "./regions.ts";
export { Return } from "./return.ts";
