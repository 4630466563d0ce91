/** What the parts of the scheduler hand on to each other. */
import { addressBits, bit, struct, uint, type UInt } from "../../../../hdl-dsl/index.ts";
import { CameBack, ctxBits, type DeviceSizes } from "../inside/index.ts";
import { mostStages } from "../../wire/index.ts";
import type { FlowParameters } from "./flows/index.ts";

export const branchBits = (p: Pick<DeviceSizes, "branches">): number => addressBits(p.branches);
export const regionBits = (p: Pick<DeviceSizes, "regions">): number => addressBits(p.regions);
export const queueUserBits = (p: Pick<DeviceSizes, "users">): number => addressBits(p.users);
export const stageBits = Math.log2(mostStages);
/** Groups of chains in the flow table, and bits of a flow's hash that it looks at. */
export const flowGroups = 4;
export const groupBits = Math.log2(flowGroups);
export const hashBits = 8;
/** Branches inside at once, at most. */
export const mostInside = (p: DeviceSizes): number => p.contexts * 2 ** branchBits(p);
export const flowSizes = (p: DeviceSizes): FlowParameters => ({
  regions: p.regions,
  groups: flowGroups,
  hashBits,
  contexts: mostInside(p),
  generationBits: 4,
});

/** A branch of a packet inside. */
export const Branch = (p: DeviceSizes) => struct({ ctx: uint(ctxBits(p)), branch: uint(branchBits(p)) });
export const branchIdBits = (p: DeviceSizes): number => ctxBits(p) + branchBits(p);

/** A queue's name: it is a user's, for a region, and for fast or slow DAGs. */
export const QueueName = (p: DeviceSizes) =>
  struct({ region: uint(regionBits(p)), user: uint(queueUserBits(p)), slow: bit });
export interface QueueOf {
  readonly region: UInt;
  readonly user: UInt;
  readonly slow: UInt<1>;
}
export const queueNameBits = (p: DeviceSizes): number => regionBits(p) + queueUserBits(p) + 1;

/** What is kept of a packet while it is inside. */
export const Packet = (p: DeviceSizes) =>
  struct({
    dag: uint(8),
    user: uint(queueUserBits(p)),
    /** Its user is one that there is. */
    known: bit,
    slow: bit,
    hash: uint(hashBits),
    unordered: bit,
    stage: uint(stageBits),
    /** No stage is behind this one. */
    last: bit,
  });
/** A branch that goes into its queue. */
export const Queued = (p: DeviceSizes) =>
  struct({
    valid: bit,
    ...Branch(p).fields,
    ...QueueName(p).fields,
    run: uint(p.slots),
    arg: uint(8),
    group: uint(groupBits),
  });
/** A branch that is back, with what is kept of it. */
export const Returned = (p: DeviceSizes) =>
  struct({ ...CameBack(p).fields, packet: Packet(p), group: uint(groupBits), stopped: bit });
/** A queue to which something happens. */
export const AtQueue = (p: DeviceSizes) => struct({ valid: bit, queue: QueueName(p) });
