/** What a rack is made of: places, lines, and one time for all of them. */
export { classesAt } from "./classes.ts";
export { Clockwork, clockPeriod, type Join, type Member } from "./clockwork.ts";
export { RackDevice, type RackDeviceOptions } from "./device.ts";
export type { Arrival, Elsewhere, Passage, Window } from "./elsewhere.ts";
export { modelsBuilt } from "./models.ts";
export { RackEndpoint } from "./endpoint.ts";
export { Jack } from "./jack.ts";
export { gbpsOf, RackNode, type RackNodeOptions } from "./node.ts";
export { peersOf, type PeersOfOptions } from "./peers.ts";
export { Line, type Tap, tapPoints } from "./line.ts";
export { type Apart, type Finished, type RackOptions, RunningRack, withRack } from "./rack.ts";
export { SendQueue } from "./send-queue.ts";
export { Signal } from "./signal.ts";
export { mostHeld, pauseFrom, resumeAt } from "./held.ts";
export { RackSwitch } from "./switch.ts";
