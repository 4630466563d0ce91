/** Memory of network tasks: spaces, rights, pages that go elsewhere and come back. */
export { RegionWays, type RegionWaysOptions } from "./region-ways.ts";
export { ageOf, mostOver, oldest, type Resident } from "./choose.ts";
export {
  LocalPages,
  type MemoryDriver,
  PagesElsewhere,
  type PageState,
  type PageValues,
  type RemotePages,
  type SpaceValues,
  type WayStatus,
} from "./driver.ts";
export { BoardFrames, type PageFrames } from "./frames.ts";
export { gapFor } from "./gaps.ts";
export { MemoryGrants, type MemoryTask, type MemoryUser, nobody, type NotGiven } from "./grants.ts";
export { type LiveSpace, MemoryManager, type MemoryManagerOptions, type Refusal, type SpaceWish } from "./manager.ts";
