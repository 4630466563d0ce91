import { insertField, type RegisterField } from "../../../hdl-dsl/index.ts";
import { type Action, defaultAction, opcode, type OpcodeName, operationOf, replyCode } from "../wire/index.ts";

/** Actions of the match-and-action table for an opcode, in the order of their codes. */
export const matActions = ["malformed", "fast", "slow", "extend", "sync", "drop", "echo"] as const;
export type MatAction = (typeof matActions)[number];
/** The code of an action. */
export const matAction = Object.fromEntries(matActions.map((n, i) => [n, i])) as { readonly [A in MatAction]: number };

/** Operations of the sync unit, in the order of their codes; `none`: a plain access. */
export const syncOperations = ["none", "tas", "cas", "faa", "store", "derefRead", "derefWrite", "fence"] as const;
export type SyncOperation = (typeof syncOperations)[number];
/** The code of a sync operation. */
export const syncOperation = Object.fromEntries(syncOperations.map((n, i) => [n, i])) as {
  readonly [S in SyncOperation]: number;
};

const syncOpcodes: Partial<Record<OpcodeName, SyncOperation>> = {
  ATOMIC_TAS: "tas",
  ATOMIC_CAS: "cas",
  ATOMIC_FAA: "faa",
  ATOMIC_STORE: "store",
  DEREF_READ: "derefRead",
  DEREF_WRITE: "derefWrite",
  FENCE: "fence",
};
/** Sync operations by opcode. */
const syncByCode = new Map(Object.entries(syncOpcodes).map(([name, s]) => [opcode[name as OpcodeName], s] as const));
/** Sync operations that change memory. */
const syncWrites: readonly SyncOperation[] = ["tas", "cas", "faa", "store", "derefWrite"];

const field = <const N extends string>(
  name: N,
  lsb: number,
  width: number,
  doc: string,
): RegisterField & { readonly name: N } => ({
  name,
  lsb,
  width,
  kind: "rw",
  doc,
});

/** Bits of a table entry as it is written over the registers. */
export const matEntryFields = {
  action: field("action", 0, 3, matActions.map((n, i) => `${i} ${n}`).join(", ")),
  write: field("write", 3, 1, "a fast access that writes"),
  silent: field("silent", 4, 1, "never answered"),
  operation: field("operation", 5, 3, syncOperations.map((n, i) => `${i} ${n}`).join(", ")),
  replyOpcode: field("replyOpcode", 8, 8, "opcode of the answer"),
} as const;
export type MatEntryValues = { readonly [K in keyof typeof matEntryFields]: number };

/** The word that writes an entry. */
export const matWord = (e: MatEntryValues): number =>
  Object.entries(matEntryFields).reduce((word, [name, f]) => insertField(f, word, e[name as keyof MatEntryValues]), 0);

/** Byte address of an opcode's entry: 256 words. */
export const matBase = 0x400,
  matWords = 256;
export const matAddress = (code: number): number => matBase + 4 * code;

/**
 * The entry of an opcode with the given action: the other fields come from the opcode table. PINGPONG's fast path is to
 * be echoed, that of atomics, pointers and fences is the sync unit.
 */
export function matEntry(code: number, action: Action = defaultAction(code)): MatEntryValues {
  const echo = action === "fast" && code === opcode.PINGPONG,
    sync = (action === "fast" ? syncByCode.get(code) : undefined) ?? "none";
  return {
    action: matAction[echo ? "echo" : sync === "none" ? action : "sync"],
    write: code === opcode.WRITE || code === opcode.WRITE_NOREPLY || syncWrites.includes(sync) ? 1 : 0,
    silent: operationOf(code) !== undefined && operationOf(code)?.reply === undefined ? 1 : 0,
    operation: syncOperation[sync],
    replyOpcode: replyCode(code),
  };
}
/** The table's content after power-up, by opcode. */
export const defaultMatTable: readonly MatEntryValues[] = Array.from({ length: matWords }, (_, code) => matEntry(code));

/** Rules that stand above the table: the first valid one with the request's pid gives the action. */
export const matRules = 4;
