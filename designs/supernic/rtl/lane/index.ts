/** The switch lane: frames that go on to ports, peers and software without being processed. */
export { SwitchLane } from "./switch-lane.ts";
export { copyBits, FromSoftware, LaneConfig, LaneEvents, type LaneParameters, peers, ToSoftware } from "./ports.ts";
export { choose } from "./choice.ts";
export { eventsOf } from "./events.ts";
export { Bound } from "./records.ts";
export { Reshape, Shape } from "./reshape.ts";
export { spread } from "./spread.ts";
