/** What replication keeps and hands on between its parts. */
import { bit, bitsFor, struct, uint } from "../../../../../hdl-dsl/index.ts";
import {
  replicaBeats,
  replicaGroups,
  replicaJobs,
  replicaNodes,
  replicaSets,
  taskTagBits,
} from "../../../wire/index.ts";
import { headerBits, told } from "../interface.ts";

export const groupBits = Math.log2(replicaGroups),
  setBits = Math.log2(replicaSets),
  jobBits = Math.log2(replicaJobs),
  beatBits = bitsFor(replicaBeats),
  stampBits = 16;
/** A bit for each node of a group. */
export const nodeMask = replicaNodes.most;

/** A node of a group, as numbers, and a group's row: how many nodes it has. */
export const NodeRow = struct({ mac: uint(48), ip: uint(32), port: uint(4) });
export const GroupRow = struct({ user: uint(6), nodes: uint(3) });

/** What a header says of itself: a request or a reply of Clio that wants copies; `possible`: it can be waited for. */
export const FirstLook = struct({ toNode: bit, fromNode: bit, possible: bit, src: uint(32), dst: uint(32) });
/** What it is to its group: of a reply, the node; nodes that are asked; MAC and address of the first one. */
export const SecondLook = struct({
  isRequest: bit,
  isReply: bit,
  accepted: bit,
  from: uint(nodeMask),
  nodes: uint(3),
  mac: uint(48),
  ip: uint(32),
});
/** A packet on its way to its decision. */
export const Carried = struct({
  tag: uint(taskTagBits),
  header: uint(headerBits),
  headBytes: told.headBytes,
  payloadBytes: told.payloadBytes,
  group: uint(groupBits),
});
/** A request that waits: nodes that were asked, nodes that have answered, and the largest status that one gave. */
export const Waiting = struct({
  valid: bit,
  want: uint(nodeMask),
  got: uint(nodeMask),
  status: uint(4),
  stamp: uint(stampBits),
});
/** An answer; `rewrites`: the reply is to be the first node's. Numbers as they stand on the wire. */
export const Decided = struct({
  tag: uint(taskTagBits),
  forward: bit,
  rewrites: bit,
  mac: uint(48),
  ip: uint(32),
  sum: uint(16),
  /** The byte of status and flags. */
  status: uint(8),
});
/** A request of which copies are to be made. */
export const Job = struct({
  header: uint(headerBits),
  headBytes: told.headBytes,
  group: uint(groupBits),
  nodes: uint(3),
  /** Beats of its payload, and bytes of the last one. */
  beats: uint(beatBits),
  tail: uint(7),
});
/** What becomes of a payload: it is kept for a job, or nobody wants it. */
export const Sort = struct({ keep: bit, job: uint(jobBits) });
