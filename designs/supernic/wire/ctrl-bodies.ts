/** Bodies of CTRL messages: what stands behind the header, little-endian. */
import { big, concat, encode, type Layout, layout, num } from "../../shared/wire/index.ts";
import { ctrlOpcode } from "./ctrl.ts";
import {
  peerEntryBody,
  peerHelloBody,
  peerLaunchBody,
  peerLoadBody,
  peerPageBody,
  peerStateBody,
  peerWhichBody,
} from "./peer-bodies.ts";

/** Tasks whose rows a user may write. */
export const ctrlTask = { firewall: 1, tunnel: 2, balancer: 3 } as const;
export type CtrlTaskName = keyof typeof ctrlTask;

/** NT_CONFIG: which row; the row's own fields follow. */
export const ntConfigBody = layout("ntConfig", "NT_CONFIG", "le", {
  task: num(8, "1 firewall, 2 tunnel, 3 balancer", "dec", { 1: "firewall", 2: "tunnel", 3: "balancer" }),
  unused: num(8, "0"),
  row: num(16, "firewall: its rule; tunnel: its row; balancer: its bucket. It must be this user's already"),
});
export const firewallRowBody = layout("firewallRow", "NT_CONFIG, a rule of the firewall", "le", {
  src: num(32, "IPv4 source", "ipv4"),
  dst: num(32, "IPv4 destination", "ipv4"),
  srcBits: num(8, "bits of the source that count, 0 to 32"),
  dstBits: num(8, "bits of the destination that count, 0 to 32"),
  protocol: num(8, "IPv4 protocol"),
  drops: num(1, "packets that meet it are dropped, else they pass", "bool"),
  hasProtocol: num(1, "the protocol counts", "bool"),
  hasSrcPort: num(1, "the source port counts", "bool"),
  hasDstPort: num(1, "the destination port counts", "bool"),
  reserved: num(4, "0"),
  srcPort: num(16, "TCP or UDP source port"),
  dstPort: num(16, "TCP or UDP destination port"),
});
export const tunnelRowBody = layout("tunnelRow", "NT_CONFIG, a row of the tunnel that opens", "le", {
  vni: num(32, "the VXLAN network, below 2^24"),
});
export const balancerRowBody = layout("balancerRow", "NT_CONFIG, a bucket of the balancer", "le", {
  mac: big(48, "MAC of the backend", "mac"),
});
/** What stands behind `ntConfig`, by task. */
export const ctrlRowBodies = { firewall: firewallRowBody, tunnel: tunnelRowBody, balancer: balancerRowBody } as const;

/** A body of NT_CONFIG. @param fields the row's, encoded */
export const ntConfig = (task: CtrlTaskName, row: number, fields: Uint8Array): Uint8Array =>
  concat(encode(ntConfigBody, { task: ctrlTask[task], row }), fields);

/** Reply to QUERY: then come its DAGs. */
export const queryReplyBody = layout("queryReply", "QUERY, the reply", "le", {
  class: num(8, "the user's class"),
  limited: num(8, "1: the meter counts its bytes"),
  contexts: num(16, "packets that it may have inside"),
  cells: num(16, "cells that it may hold"),
  dags: num(16, "entries that follow"),
  bytesPerEpoch: num(32, "bytes that it may bring in an epoch; 0 where it is not limited"),
  done: num(32, "requests of it that were done"),
  repeated: num(32, "requests of it that were answered again and not done again"),
  refused: num(32, "requests of it that were refused"),
});
export const queryDagBody = layout("queryDag", "QUERY, a DAG in the reply", "le", {
  uid: num(16, "its UID", "hex"),
  stages: num(8, "its stages"),
  here: num(8, "0: it runs at a peer; 1: here; 2: a chain of it is being loaded; 3: one is not loaded"),
});

/** Tasks of a branch, at most. */
export const mostBranchTasks = 8;
export const deployBody = layout("deployNt", "DEPLOY_NT", "le", {
  task: num(8, "number of the task in the device's catalogue, from 1"),
  shared: num(8, "1: everybody may use it; 0: its users only"),
});
export const addDagBody = layout("addDag", "ADD_DAG, then its branches", "le", {
  way: num(8, "where its packets leave: 0 by MAC, 1 a port, 2 back, 3 the loop port"),
  port: num(8, "of way 1"),
  keepShim: num(1, "packets leave with a sNIC shim", "bool"),
  unordered: num(1, "its packets may overtake each other", "bool"),
  ahead: num(1, "its chains are loaded now, where regions are free", "bool"),
  rest: num(13, "0"),
});
export const dagBranchBody = layout("dagBranch", "ADD_DAG, a branch", "le", {
  stage: num(8, "its stage, from 0; branches come in the order of their stages"),
  arg: num(8, "what its tasks are told"),
  tasks: num(8, "tasks that count, 1 to 8"),
  blank: num(8, "0"),
  task0: num(8, "the first task"),
  task1: num(8, "the next ones; 0 where they do not count"),
  task2: num(8, ""),
  task3: num(8, ""),
  task4: num(8, ""),
  task5: num(8, ""),
  task6: num(8, ""),
  task7: num(8, ""),
});
/** REMOVE_DAG, LAUNCH, STOP; and the reply to ADD_DAG. */
export const dagNameBody = layout("dagName", "ADD_DAG, the reply; REMOVE_DAG, LAUNCH, STOP", "le", {
  uid: num(16, "the DAG's UID", "hex"),
});
export const weightBody = layout("weight", "WEIGHT", "le", { weight: num(16, "from 1 to what the user was granted") });
export const bindBody = layout("bind", "BIND", "le", {
  uid: num(16, "the DAG's UID", "hex"),
  protocol: num(8, "IPv4 protocol"),
  toBits: num(8, "bits of the destination that count, 0 to 32"),
  to: num(32, "IPv4 destination", "ipv4"),
  toPort: num(16, "TCP or UDP destination port"),
  hasProtocol: num(1, "the protocol counts", "bool"),
  hasPort: num(1, "the port counts", "bool"),
  spare: num(14, "0"),
});

/** What a body is made of. */
export interface CtrlBody {
  readonly opcode: number;
  /** It is the reply's; else the request's. */
  readonly reply: boolean;
  readonly head: Layout;
  /** Then one of these, by the head's first byte. */
  readonly rows?: Readonly<Record<number, Layout>>;
  /** Or these, to the end. */
  readonly entries?: Layout;
}
/** All bodies that there are; other messages have none. */
export const ctrlBodies: readonly CtrlBody[] = [
  {
    opcode: ctrlOpcode.NT_CONFIG,
    reply: false,
    head: ntConfigBody,
    rows: Object.fromEntries(
      Object.entries(ctrlTask).map(([name, code]) => [code, ctrlRowBodies[name as CtrlTaskName]]),
    ),
  },
  { opcode: ctrlOpcode.QUERY, reply: true, head: queryReplyBody, entries: queryDagBody },
  { opcode: ctrlOpcode.DEPLOY_NT, reply: false, head: deployBody },
  { opcode: ctrlOpcode.ADD_DAG, reply: false, head: addDagBody, entries: dagBranchBody },
  { opcode: ctrlOpcode.ADD_DAG, reply: true, head: dagNameBody },
  ...([ctrlOpcode.REMOVE_DAG, ctrlOpcode.LAUNCH, ctrlOpcode.STOP] as const).map(opcode => ({
    opcode,
    reply: false,
    head: dagNameBody,
  })),
  { opcode: ctrlOpcode.WEIGHT, reply: false, head: weightBody },
  { opcode: ctrlOpcode.BIND, reply: false, head: bindBody },
  { opcode: ctrlOpcode.PEER_HELLO, reply: false, head: peerHelloBody },
  { opcode: ctrlOpcode.PEER_LOAD, reply: false, head: peerLoadBody, entries: peerEntryBody },
  { opcode: ctrlOpcode.PEER_LAUNCH, reply: false, head: peerLaunchBody, entries: dagBranchBody },
  { opcode: ctrlOpcode.PEER_LAUNCH, reply: true, head: peerWhichBody },
  ...([false, true] as const).map(reply => ({ opcode: ctrlOpcode.PEER_STATE, reply, head: peerStateBody })),
  ...([ctrlOpcode.PEER_PAUSE, ctrlOpcode.PEER_RELEASE] as const).flatMap(opcode =>
    [false, true].map(reply => ({ opcode, reply, head: peerWhichBody })),
  ),
  ...([ctrlOpcode.PEER_PAGE_OUT, ctrlOpcode.PEER_PAGE_IN, ctrlOpcode.PEER_PAGE_DROP] as const).flatMap(opcode =>
    [false, true].map(reply => ({ opcode, reply, head: peerPageBody })),
  ),
];
