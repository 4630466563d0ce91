/** Users, tasks, regions and chains in steps of an epoch, by the project's own fair shares and software's own rules. */
export { passedPart, type RunCost, runOut } from "./cost.ts";
export { EpochDevice, type EpochSeen } from "./device.ts";
export { Endpoint, type EndpointOptions } from "./endpoint.ts";
export { ManagedPlacement, type ManagedPlacementOptions } from "./managed.ts";
export { FixedPlacement, InstantPlacement, type Needs, needsOf, type Placement } from "./placement.ts";
export { loadsOf } from "./overload.ts";
export { type PoolMember, type PoolSeen, stepPool, Whereabouts } from "./pool.ts";
export { EpochRegions } from "./regions.ts";
export { Shares } from "./shares.ts";
export { chainNeed, demandOf, type EpochSizes, type EpochUser, partOf, taskLoad } from "./sizes.ts";
