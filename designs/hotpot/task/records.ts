/** What the task keeps of each commit, and how large it is. */
import { bit, enumOf, struct, uint } from "../../../hdl-dsl/index.ts";
import { taskAreas, taskNodes } from "../wire/index.ts";

export interface CommitTaskParameters {
  /** Commits in flight, of a client each: 2, 4, 8 or 16. Each has a lane, and 8 KB for its areas. */
  readonly contexts: number;
}
export const areaBits = Math.log2(taskAreas),
  nodeBits = Math.log2(taskNodes),
  /** Rows of what is awaited, and beats of an area, filled up to a power of two. */
  rowBits = 4,
  beatBits = 5,
  backoffBits = 10;
/** A wait grows with the tries until there are so many. */
export const mostBackoff = 8;

export const Phase = enumOf("CommitPhase", [
  "free",
  "gather",
  "prepare",
  "abort",
  "wait",
  "update",
  "commit",
  "forgetReplicas",
  "forget",
  "done",
]);
/** A commit, whose it is, and how far it is. */
export const Context = struct({
  phase: Phase,
  /** The client, and its number of the commit. */
  ip: uint(32),
  port: uint(16),
  number: uint(32),
  /** Areas of it, and those that are here. */
  areas: uint(4),
  have: uint(taskAreas),
  /** The lane's number of this try, and what the next wait is: both go on from one commit to the next or begin anew. */
  seq: uint(32),
  backoff: uint(backoffBits),
  left: uint(backoffBits),
  owners: uint(taskNodes),
  replicas: uint(taskNodes),
  /** Owners whose log is whole. */
  prepared: uint(taskNodes),
  /** A single owner; the commit cannot be tried again; it has been looked at once in this life. */
  merged: bit,
  failure: bit,
  old: bit,
});
/** An area: its node, the copies, lines of 64 bytes. */
export const Area = struct({ owner: uint(nodeBits), replicas: uint(taskNodes), lines: uint(5) });
/** Of a node that owns pages of a commit: its areas, and who has copies of them. */
export const Count = struct({ areas: uint(nodeBits), replicas: uint(taskNodes) });
/** What a reply's headers need of the newest message of a commit. */
export const Asked = struct({
  mac: uint(48),
  to: uint(48),
  ip: uint(32),
  port: uint(16),
  pid: uint(16),
  tag: uint(8),
  flags: uint(4),
  seqId: uint(8),
  requestId: uint(32),
  retryOf: uint(32),
  /** Port of the device where it came in. */
  ingress: uint(4),
});
/** A frame that is to be made: a message to a node, or an answer to a client. The first 14 bytes of its head. */
export const Job = struct({
  mac: uint(48),
  from: uint(48),
  ip: uint(32),
  port: uint(16),
  ownPort: uint(16),
  pid: uint(16),
  tag: uint(8),
  opcode: uint(8),
  flags: uint(4),
  seqId: uint(8),
  requestId: uint(32),
  retryOf: uint(32),
  egress: uint(4),
  kind: uint(8),
  part: uint(8),
  parts: uint(8),
  marks: uint(8),
  lane: uint(16),
  owners: uint(16),
  seq: uint(32),
  replicas: uint(16),
  /** With an area's data: lines of it, and where it is. */
  lines: uint(5),
  context: uint(4),
  area: uint(areaBits),
});
