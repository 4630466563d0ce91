/** A rack's setup file: what it may say, and what it means. */
export type { DevicePlan, EndpointPlan, NodePlan, Plug, Rack, RackLink, SwitchPlan } from "./rack.ts";
export { readRack } from "./read.ts";
export { type ClientProgram, type ProgramFile, type RackFile, rackSchema } from "./schema.ts";
