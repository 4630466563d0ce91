/** The switch lane: frames that go on to ports, peers and software without being processed. */
export { SwitchLane } from "./switch-lane.ts";
export { copyBits, FromSoftware, LaneConfig, LaneEvents, type LaneParameters, peers, ToSoftware } from "./ports.ts";
