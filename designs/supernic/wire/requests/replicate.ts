/** Replication (docs/supernic/replication.md): what its hardware, its model and software agree on. */
import { kvHash } from "./kv-cache.ts";
import type { ConfigWord } from "../task-rows.ts";

/** Groups of nodes, told apart by the low bits of a DAG's `arg`; nodes of one, at least and at most. */
export const replicaGroups = 16,
  replicaNodes = { least: 1, most: 4 } as const;
/** Requests that wait for replies: sets of some places each. */
export const replicaSets = 64,
  replicaWays = 4,
  replicaPending = replicaSets * replicaWays;
/** Requests whose copies are being sent, at most, and beats of a payload that is copied. */
export const replicaJobs = 16,
  replicaBeats = 31;
/** Cycles of the unit in which `life` is counted, and its most. */
export const replicaTick = 256,
  replicaMostLife = 2 ** 14;
/** Cycles after which the next set is looked at for a request that waits in vain. */
export const replicaAgeCycles = 256;
/** Bytes of the header that are changed on the way: MACs; checksum and addresses; the UDP checksum; the status. */
export const replicaAt = { dstMac: 0, srcMac: 6, ipSum: 24, src: 26, dst: 30, udpSum: 40, status: 46 } as const;
/** A write that is not answered: nobody can say that it was done. */
export const writeNoReply = 0x52;

/** Who waits: address 32, port 16 and number 32 of a request as they stand on the wire, lowest first. */
export const replicaKeyBits = 80;
export const replicaKeyHash = kvHash(3, Math.log2(replicaSets));

/** Places of the configuration: MAC and port of a node, its address, a group, and the life. */
export const replicaPlaces = {
  mac: (group: number, node: number): number => 8 * group + 2 * node,
  ip: (group: number, node: number): number => 8 * group + 2 * node + 1,
  group: (group: number): number => 8 * replicaGroups + group,
  life: 9 * replicaGroups,
} as const;
/** Lowest bits of the fields of a node's and of a group's row. */
export const replicaRow = { mac: 0, port: 48, user: 0, nodes: 6 } as const;
export interface ReplicaNode {
  readonly mac: bigint;
  readonly ip: number;
  /** The port of this sNIC behind which the node is. */
  readonly port: number;
}
export interface ReplicaGroup {
  /** As a DAG's `arg` names it. */
  readonly number: number;
  readonly user: number;
  /** The first one is the node that clients know. */
  readonly nodes: readonly ReplicaNode[];
}
/** @param life time after which no request is under way any more, in units of 256 cycles */
export const replicaWords = (groups: readonly ReplicaGroup[], life: number): readonly ConfigWord[] => [
  { at: replicaPlaces.life, data: BigInt(life) },
  ...groups.flatMap(({ number, user, nodes }) => [
    ...nodes.flatMap(({ mac, ip, port }, n) => [
      { at: replicaPlaces.mac(number, n), data: mac | (BigInt(port) << BigInt(replicaRow.port)) },
      { at: replicaPlaces.ip(number, n), data: BigInt(ip >>> 0) },
    ]),
    // Last: from now on it copies.
    { at: replicaPlaces.group(number), data: BigInt(user) | (BigInt(nodes.length) << BigInt(replicaRow.nodes)) },
  ]),
];
