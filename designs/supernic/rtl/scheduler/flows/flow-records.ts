/** What the flow table is asked and told. */
import { addressBits, bit, struct, uint } from "../../../../../hdl-dsl/index.ts";

export interface FlowParameters {
  readonly regions: number;
  /** Chains that have, or may get, more than one instance: a power of two of 2 or more. */
  readonly groups: number;
  /** Bits of a flow's hash. */
  readonly hashBits: number;
  /** Packets that are inside, or wait to be, at most: a power of two. One counts for each of its branches. */
  readonly contexts: number;
  /** Bits of a group's generation: 2^bits - 1 marks of a group count at once, and are swept up later. */
  readonly generationBits: number;
}
export const flowGroupBits = (p: Pick<FlowParameters, "groups">): number => addressBits(p.groups);
export const flowRegionBits = (p: Pick<FlowParameters, "regions">): number => addressBits(p.regions);
export const flowCountBits = (p: Pick<FlowParameters, "contexts">): number => Math.log2(p.contexts) + 1;
export const flowEntries = (p: FlowParameters): number => p.groups * 2 ** p.hashBits;

/** A flow of a chain: packets that share both keep their order. */
export const Flow = (p: FlowParameters) => struct({ group: uint(flowGroupBits(p)), hash: uint(p.hashBits) });
/** A packet that wants in. */
export const FlowAsk = (p: FlowParameters) =>
  struct({
    flow: Flow(p),
    /** It may overtake, and be overtaken: it never waits. */
    unordered: bit,
    /** It goes to `region`, and nowhere else: its chain has no other instance. */
    pinned: bit,
    region: uint(flowRegionBits(p)),
    /** It has asked before, and is the first of those of its flow that wait. */
    again: bit,
    /** With `again`: it does not want in any more. */
    givesUp: bit,
  });
/** Flows of a group that are inside one of some regions are to choose anew. */
export const FlowMark = (p: FlowParameters) => struct({ group: uint(flowGroupBits(p)), from: uint(p.regions) });
export const FlowLeave = (p: FlowParameters) =>
  struct({ valid: bit, flow: Flow(p), unordered: bit, region: uint(flowRegionBits(p)) });
