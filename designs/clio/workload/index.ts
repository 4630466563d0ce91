/**
 * Workloads for the memory node as plain frames: the shipped demonstration, random requests, malformed
 * frames. No simulator.
 */
export { clientEndpoint, FrameClient } from "./client.ts";
export { demoCapture, type TimedFrame } from "./demo.ts";
export { Mixture, type MixtureOptions, type Territory } from "./mixture.ts";
export { malformedFrames, mutations, type MalformedFrame, type Mutation } from "./malformed.ts";
export { fuzzGround, fuzzSeeds, relocate, type FuzzFrame, type FuzzGround, type Stretch } from "./fuzz-seeds.ts";
export { FrameMutator } from "./frame-mutator.ts";
