/** A rack's setup file: what it may say, and what it means. */
export type { DevicePlan, EndpointPlan, Forward, NodePlan, Plug, Rack, RackLink, SwitchPlan } from "./rack.ts";
export { readRack } from "./read.ts";
export {
  type ClientProgram,
  type ProgramFile,
  isServed,
  outOf,
  type RackFile,
  rackSchema,
  type ServedProgram,
} from "./schema.ts";
