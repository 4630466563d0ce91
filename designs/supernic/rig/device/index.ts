/** The device in simulation, and frames played through it. */
export { type AllCounts, type Counts } from "./counters.ts";
export { play, type Played, type PlayedOut, type PlayFrame, type PlayOptions, type PlayResult } from "./play.ts";
export { deviceDefinition, type LineOptions, SimulatedSuperNic, withDevice } from "./simulated-device.ts";
