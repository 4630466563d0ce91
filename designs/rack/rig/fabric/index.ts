/** What a rack is made of: places, lines, and one time for all of them. */
export { Clockwork, clockPeriod } from "./clockwork.ts";
export { modelsBuilt } from "./models.ts";
export { RackEndpoint } from "./endpoint.ts";
export { peersOf, type PeersOfOptions } from "./peers.ts";
export { Line, type Tap, tapPoints } from "./line.ts";
export { type Finished, type RackOptions, RunningRack, withRack } from "./rack.ts";
