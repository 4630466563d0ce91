/** The whole device as a model, frame by frame, and the scoreboard that holds a device to it. */
export { type DeviceCounts, matchReasons, type MatchReason, type PortCounts, type SlotCounts } from "./counts.ts";
export { type Drop, type Exit, type Fate, type Pass } from "./fate.ts";
export { type Entered } from "./dues.ts";
export { DeviceScoreboard } from "./scoreboard.ts";
export { type TaskModels } from "./tables.ts";
export { dropText } from "./walk.ts";
