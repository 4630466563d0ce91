/** The memory node with its surroundings, ready to be driven by frames. */
export type { NodePorts } from "./node-ports.ts";
export { NodeTransport } from "./node-transport.ts";
export { SimulatedNode, withNode, type NodeOptions } from "./simulated-node.ts";
export {
  play,
  type Pace,
  type Played,
  type PlayedReply,
  type PlayFrame,
  type PlayOptions,
  type PlayResult,
} from "./play.ts";
export { prepare, PrepareError, type Preparation, type PreparedMapping, type PreparedMemory } from "./prepare.ts";
export { randomRun, type RandomRunOptions, type RandomRunResult } from "./random-run.ts";
export { ClientStation, type ClientStationOptions } from "./client-station.ts";
export { joinNetwork, timeOf, type NetworkedNodeOptions } from "./networked-node.ts";
export { monitorStation, type Station } from "./station.ts";

export { joinController, type ControllerStationOptions } from "./controller-station.ts";
export { fuzzRun, type FuzzOptions, type FuzzResult } from "./fuzz-run.ts";
export { AccessGuard, entryInTable, frameInTable, type Grant, type Guarded, type Way } from "./access-guard.ts";
export { permissionRun, type PermissionRunOptions, type PermissionRunResult } from "./permission-run.ts";
