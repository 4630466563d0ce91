import type { Layout } from "../../shared/wire/index.ts";
import * as b from "./bodies.ts";

/** Part of the node that a request goes to (paper §4.3.2: the match-and-action table decides among three paths). */
export type Path = "fast" | "slow" | "extend";

/** One row of wire-format.md's opcode table. */
export interface Operation {
  readonly name: string;
  readonly code: number;
  readonly path: Path;
  /** Fixed part of the body, if any. */
  readonly body: Layout | undefined;
  /** Content behind the fixed part. */
  readonly data: string | undefined;
  readonly reply:
    { readonly code: number; readonly body: Layout | undefined; readonly data: string | undefined } | undefined;
}

type ReplySpec = readonly [code: number, body?: Layout | undefined, data?: string];
const op = (
  path: Path,
  code: number,
  body: Layout | undefined,
  data: string | undefined,
  reply: ReplySpec | undefined,
) => ({ path, code, body, data, reply: reply && { code: reply[0], body: reply[1], data: reply[2] } });

const rows = {
  PINGPONG: op("fast", 0x02, undefined, "any bytes", [0x02, undefined, "the same bytes"]),
  MV_CREATE: op("extend", 0x20, b.mvCreateBody, undefined, [0x21, b.mvBody]),
  MV_APPEND: op("extend", 0x22, b.mvBody, "value", [0x23, b.mvBody]),
  MV_READ: op("extend", 0x24, b.mvBody, undefined, [0x25, b.mvBody, "value"]),
  MV_READ_LATEST: op("extend", 0x26, b.mvBody, undefined, [0x27, b.mvBody, "value"]),
  MV_DELETE: op("extend", 0x28, b.mvBody, undefined, [0x29, b.mvBody]),
  READ: op("fast", 0x40, b.accessBody, undefined, [0x41, b.accessBody, "data"]),
  ATOMIC_TAS: op("fast", 0x42, b.accessBody, undefined, [0x41, b.oldValueBody]),
  DEREF_WRITE: op("fast", 0x43, b.accessBody, "data", [0x51, b.accessBody]),
  DEREF_READ: op("fast", 0x44, b.accessBody, undefined, [0x41, b.accessBody, "data"]),
  READ_MIGRATION: op("fast", 0x45, b.accessBody, undefined, [0x50, b.accessBody, "data, to the other node"]),
  ATOMIC_CAS: op("fast", 0x48, b.casBody, undefined, [0x41, b.oldValueBody]),
  ATOMIC_FAA: op("fast", 0x49, b.faaBody, undefined, [0x41, b.oldValueBody]),
  ATOMIC_STORE: op("fast", 0x4a, b.storeBody, undefined, [0x51, b.accessBody]),
  FENCE: op("fast", 0x4b, undefined, undefined, [0x4b]),
  WRITE: op("fast", 0x50, b.accessBody, "data", [0x51, b.accessBody]),
  WRITE_NOREPLY: op("fast", 0x52, b.accessBody, "data", undefined),
  KV_READ: op("extend", 0x60, b.kvBody, undefined, [0x61, b.kvReplyBody, "value"]),
  KV_CREATE: op("extend", 0x62, b.kvBody, "value", [0x63, b.kvReplyBody]),
  KV_UPDATE: op("extend", 0x64, b.kvBody, "value", [0x65, b.kvReplyBody]),
  KV_DELETE: op("extend", 0x66, b.kvBody, undefined, [0x67, b.kvReplyBody]),
  TLB_SHOOTDOWN: op("fast", 0x70, b.accessBody, undefined, [0x70]),
  POINTER_CHASE: op("extend", 0x71, b.pointerChaseBody, undefined, [0x41, b.accessBody, "value"]),
  DF_SELECT: op("extend", 0x72, b.dfSelectBody, undefined, [0x41, b.dfSelectReplyBody, "matching rows"]),
  DF_AGGREGATE: op("extend", 0x73, b.dfAggregateBody, undefined, [0x41, b.dfAggregateReplyBody]),
  WIC: op("extend", 0x74, b.wicBody, "argument words", [0x41, undefined, "result words"]),
  ALLOC: op("slow", 0x80, b.allocBody, undefined, [0x81, b.allocReplyBody]),
  FREE: op("slow", 0x82, b.allocBody, undefined, [0x83, b.allocReplyBody]),
  CREATE_PROC: op("slow", 0x84, b.createProcBody, undefined, [
    0x85,
    b.createProcReplyBody,
    "in builds with keys: the process's key, as `key`",
  ]),
  FREE_PROC: op("slow", 0x86, undefined, undefined, [0x87, b.retBody]),
  OPEN_SESSION: op("slow", 0x88, b.sessionBody, undefined, [0x89, b.sessionBody]),
  CLOSE_SESSION: op("slow", 0x8a, b.sessionBody, undefined, [0x8b, b.sessionBody]),
  MIGRATION_HOST: op("slow", 0x8c, b.migrationBody, undefined, [0x8d, b.retBody]),
  MIGRATION_NODE: op("slow", 0x8e, b.migrationBody, undefined, [0x8f, b.retBody]),
  MIGRATION_RECEIVE: op("slow", 0x90, b.migrationBody, undefined, [0x91, b.retBody]),
  MIGRATION_CANCEL: op("slow", 0x92, b.migrationBody, undefined, [0x93, b.retBody]),
  MIGRATION_SEND: op("slow", 0x94, b.migrationBody, undefined, [0x95, b.retBody]),
  JOIN_CLUSTER: op("slow", 0x96, b.joinBody, undefined, [0x97, b.retBody]),
  NEW_NODE: op("slow", 0x98, b.newNodeBody, undefined, [0x99, b.retBody]),
  QUERY_STAT: op("slow", 0x9a, undefined, undefined, [0x9b, b.statReplyBody, "counters"]),
  FPGA_PINGPONG: op("slow", 0x9e, b.pingpongBody, "filler", [0x9e, undefined, "the filler, cut or padded with zeros"]),
  SOC_PINGPONG: op("slow", 0x9f, b.pingpongBody, "filler", [0xa0, undefined, "the filler, cut or padded with zeros"]),
} as const;
export type OpcodeName = keyof typeof rows;

/** Opcode numbers by name. */
export const opcode = Object.fromEntries(Object.entries(rows).map(([n, r]) => [n, r.code])) as {
  readonly [N in OpcodeName]: number;
};
/** All operations in order of their code. */
export const operations: readonly Operation[] = Object.entries(rows).map(([name, r]): Operation => ({ name, ...r }));
const byCode = new Map(operations.map(o => [o.code, o]));
const repliesByCode = new Map<number, Operation[]>();
for (const o of operations)
  if (o.reply) repliesByCode.set(o.reply.code, [...(repliesByCode.get(o.reply.code) ?? []), o]);

/** The operation that a request's opcode names, if there is one. */
export function operationOf(code: number): Operation | undefined {
  return byCode.get(code);
}
/** The operations that a reply's opcode answers; several share 41 and 51. */
export function repliesTo(code: number): readonly Operation[] {
  return repliesByCode.get(code) ?? [];
}
/** The reply opcode of an operation; its own for one without a reply and for an unknown code. */
export function replyCode(code: number): number {
  return byCode.get(code)?.reply?.code ?? code;
}

/** Opcodes that replies have and no request does. 0x50 is none: a WRITE has it, too. */
export const replyOnlyCodes: readonly number[] = [...repliesByCode.keys()].filter(code => !byCode.has(code));
/** Opcodes that a reply shares with the request it answers. */
export const sharedCodes: readonly number[] = operations.filter(o => o.reply?.code === o.code).map(o => o.code);

/** A reply's name: that of the operation with `_REPLY`; READ and WRITE stand for all that share their reply opcode. */
export function opcodeName(code: number): string {
  const own = byCode.get(code);
  if (own) return own.name;
  const answering = repliesByCode.get(code) ?? [];
  const answered = answering.find(o => o.name === "READ" || o.name === "WRITE") ?? answering[0];
  return answered ? `${answered.name}_REPLY` : `0x${code.toString(16).padStart(2, "0")}`;
}

/** Action of the match-and-action table on a request. `malformed`: answered so by the fast path, nothing is done. */
export type Action = Path | "malformed";

/** Fast-path operations that this version's hardware has. */
export const implementedFast: readonly OpcodeName[] = [
  "PINGPONG",
  "READ",
  "WRITE",
  "WRITE_NOREPLY",
  "ATOMIC_TAS",
  "ATOMIC_CAS",
  "ATOMIC_FAA",
  "ATOMIC_STORE",
  "DEREF_READ",
  "DEREF_WRITE",
  "FENCE",
];

/**
 * The default content of the match-and-action table, for every opcode. 80 and above are slow; 20-2F and 60-7F but 70
 * extend; 40-5F and PINGPONG are fast where the hardware has them. Everything else is malformed, TLB_SHOOTDOWN too: it
 * may not come from the network.
 */
export function defaultAction(code: number): Action {
  if (code >= 0x80) return "slow";
  if (implementedFast.some(n => opcode[n] === code)) return "fast";
  const extend = (code >= 0x20 && code <= 0x2f) || (code >= 0x60 && code <= 0x7f && code !== opcode.TLB_SHOOTDOWN);
  return extend ? "extend" : "malformed";
}
