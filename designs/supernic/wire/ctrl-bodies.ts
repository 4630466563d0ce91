/** Bodies of CTRL messages: what stands behind the header, little-endian. */
import { big, concat, encode, type Layout, layout, num } from "../../shared/wire/index.ts";
import { ctrlOpcode } from "./ctrl.ts";

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
  here: num(8, "1: it runs here; 0: at a peer"),
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
];
