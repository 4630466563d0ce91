import { big, layout, num, raw } from "../../shared/wire/index.ts";

const va = big(64, "virtual address"),
  length = num(32, "bytes");
const ret = num(32, "0: done; otherwise an error number");

export const accessBody = layout("access", "READ, WRITE and their replies", "le", { va, length });
export const casBody = layout("cas", "ATOMIC_CAS", "le", {
  va,
  length,
  compare: big(64, "expected value"),
  swap: big(64, "value stored when it is there"),
});
export const faaBody = layout("faa", "ATOMIC_FAA", "le", { va, length, addend: big(64, "added") });
export const storeBody = layout("store", "ATOMIC_STORE", "le", { va, length, value: big(64, "stored") });
export const oldValueBody = layout("oldValue", "reply of an atomic", "le", {
  va,
  length,
  old: big(64, "value before"),
});

export const kvBody = layout("kv", "key-value request", "le", {
  user: num(8, "client's, echoed"),
  keySize: num(8, "bytes of the key; 8"),
  valueSize: num(16, "bytes of the value"),
  key: big(64, "key"),
});
export const kvReplyBody = layout("kvReply", "key-value reply", "le", {
  user: num(8, "echoed"),
  keySize: num(8, "8"),
  valueSize: num(16, "bytes of the stored value"),
});

export const mvCreateBody = layout("mvCreate", "MV create", "le", {
  zero: num(32, "0"),
  valueBytes: num(32, "bytes of a value"),
});
export const mvBody = layout("mv", "MV object and version", "le", {
  object: num(32, "object"),
  version: num(32, "version from 1; 0: none, latest or unused"),
});

export const pointerChaseBody = layout("pointerChase", "POINTER_CHASE", "le", {
  addr: big(64, "first node"),
  key: big(64, "key looked for"),
  structSize: num(16, "bytes of a node"),
  valueSize: num(16, "bytes of the value"),
  keyOffset: num(8, "bytes"),
  valueOffset: num(8, "bytes"),
  depth: num(8, "most nodes to visit"),
  nextOffset: num(4, "of the next pointer, in units of 8 bytes"),
  useDepth: num(1, "depth is a limit", "bool"),
  useKey: num(1, "compare the key", "bool"),
  useValuePtr: num(1, "the value is a pointer to follow", "bool"),
  unused: num(1, "0", "bool"),
});

const predicate = num(8, "predicate, unsigned", "dec", { 0: "=", 1: "!=", 2: "<", 3: "<=", 4: ">", 5: ">=" });
const select = {
  table: big(64, "virtual address of the table"),
  rows: num(32, "rows"),
  rowBytes: num(16, "bytes of a row"),
  fieldOffset: num(16, "bytes"),
  fieldBytes: num(8, "bytes"),
  predicate,
  operand: big(64, "compared with the field"),
};
export const dfSelectBody = layout("dfSelect", "DF select", "le", select);
export const dfAggregateBody = layout("dfAggregate", "DF aggregate", "le", {
  ...select,
  valueOffset: num(16, "bytes"),
  valueBytes: num(8, "bytes"),
});
export const dfSelectReplyBody = layout("dfSelectReply", "DF select reply", "le", {
  table: big(64, "virtual address of the table, plus the bytes of rows in the frames before this one"),
  length: num(31, "bytes of rows in this frame"),
  more: num(1, "frames of this reply follow", "bool"),
});
export const dfAggregateReplyBody = layout("dfAggregateReply", "DF aggregate reply", "le", {
  table: big(64, "virtual address of the table"),
  length,
  count: big(64, "matching rows", "dec"),
  sum: big(64, "of the value", "dec"),
  min: big(64, "of the value", "dec"),
  max: big(64, "of the value", "dec"),
});
export const wicBody = layout("wic", "WIC", "le", { program: num(16, "program number") });

export const allocBody = layout("alloc", "ALLOC, FREE", "le", {
  addr: big(64, "address; for ALLOC 0: lowest fitting one"),
  len: big(64, "bytes", "dec"),
  vregion: big(64, "region number, 1 GB each", "dec"),
  vmFlags: big(64, "1 write, 2 populate now, 4 zero, 8 conflict (internal)"),
});
export const allocReplyBody = layout("allocReply", "ALLOC, FREE reply", "le", {
  ret,
  addr: big(64, "virtual address"),
  boardIp: num(32, "address of the node", "ipv4"),
  udpPort: num(32, "port of the node"),
  vregion: num(32, "region number"),
});
/** Bits of `vmFlags`. */
export const vmFlag = { write: 1n, populate: 2n, zero: 4n, conflict: 8n } as const;

export const createProcBody = layout("createProc", "CREATE_PROC", "le", { processName: raw(512, "name", "text") });
export const createProcReplyBody = layout("createProcReply", "CREATE_PROC reply", "le", {
  ret,
  newPid: num(32, "process ID"),
});
export const retBody = layout("ret", "plain reply", "le", { ret });
export const sessionBody = layout("session", "OPEN / CLOSE_SESSION", "le", {
  session: num(32, "session; in an OPEN reply the node's, 0 = failed; in a CLOSE reply 0 = done"),
});
export const migrationBody = layout("migration", "MIGRATION", "le", {
  srcIp: num(32, "from node", "ipv4"),
  srcPort: num(32, "its port"),
  dstIp: num(32, "to node", "ipv4"),
  dstPort: num(32, "its port"),
  vregion: num(32, "region number"),
});

/**
 * Behind `migration` in what the controller and the nodes of a cluster say to each other (docs/clio/distributed.md).
 */
export const migrationStepBody = layout("migrationStep", "one step of a migration", "le", {
  version: num(32, "the region's version: names the migration"),
  step: num(8, "which step"),
  write: num(8, "the pages are writable"),
  page: big(64, "virtual page number"),
  count: num(32, "pages, or bytes"),
  offset: num(32, "bytes from the page's first"),
});
/** Behind `allocReply` when the controller answers ALLOC on its native port. */
export const regionBody = layout("region", "where a region is", "le", {
  version: num(32, "counts every change of this"),
  state: num(8, "0 placed, 1 moving, all stopped, 2 moving page by page, 3 lost"),
  toIp: num(32, "while it moves: its new node", "ipv4"),
  toPort: num(32, "its port"),
});

const endpoint = {
  mac: raw(48, "MAC", "mac"),
  ipText: raw(128, "dotted IPv4 and NUL", "text"),
  ip: num(32, "IPv4", "ipv4"),
  udpPort: num(16, "base port"),
};
const membership = { type: big(64, "1 node, 2 host", "dec"), memoryBytes: big(64, "memory offered", "dec") };
export const joinBody = layout("join", "JOIN_CLUSTER", "le", { ...membership, ...endpoint });
export const newNodeBody = layout("newNode", "NEW_NODE", "le", {
  ...membership,
  nodeName: raw(512, "name", "text"),
  ...endpoint,
});
export const statReplyBody = layout("statReply", "QUERY_STAT reply", "le", {
  count: num(32, "counters that follow, 64 bits each"),
});
export const pingpongBody = layout("pingpong", "FPGA / SOC_PINGPONG", "le", {
  replySize: num(32, "bytes wanted after the reply's header"),
});
