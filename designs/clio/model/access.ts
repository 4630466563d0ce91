import { accessBody, opcode, replyCode, replyFrame, status } from "../wire/index.ts";
import { encode, type Own } from "../../shared/wire/index.ts";
import { mayRead, mayWrite, type Rights as PageRights, writesWait } from "../../shared/virtual-memory/table/index.ts";
import type { CounterName, NodeConfig } from "../config/index.ts";
import type { AtomicKind } from "./atomics.ts";
import type { Request } from "./classify.ts";

/** Effect of a request at its address: sections 5 and 6 of rules.md. */
export type AccessKind = "read" | "write" | AtomicKind | "derefRead" | "derefWrite";

/** A request to memory whose form is right, to be checked against the page table and done. */
export interface Access {
  readonly request: Request;
  readonly kind: AccessKind;
  readonly pid: number;
  readonly va: bigint;
  readonly length: number;
  /** The bytes of a write (also behind a pointer); undefined for all others. */
  readonly data: Uint8Array | undefined;
  /** Of an atomic: value compared, added or stored, and the one swapped in. */
  readonly operand: bigint;
  readonly swap: bigint;
}
/** A piece of an access inside one page: `length` bytes from `offset` in the page, `from` bytes into the access. */
export interface Piece {
  readonly vpn: bigint;
  readonly offset: number;
  readonly length: number;
  readonly from: number;
}

/** Bytes of a word that an atomic changes, and of a pointer. */
export const wordBytes = 8;
const kinds = {
  [opcode.READ]: "read",
  [opcode.WRITE]: "write",
  [opcode.WRITE_NOREPLY]: "write",
  [opcode.ATOMIC_TAS]: "tas",
  [opcode.ATOMIC_CAS]: "cas",
  [opcode.ATOMIC_FAA]: "faa",
  [opcode.ATOMIC_STORE]: "store",
  [opcode.DEREF_READ]: "derefRead",
  [opcode.DEREF_WRITE]: "derefWrite",
} as const satisfies Readonly<Record<number, AccessKind>>;

/** The kind of access of an opcode; undefined when it has none. */
export function kindOf(code: number): AccessKind | undefined {
  return (kinds as Readonly<Record<number, AccessKind>>)[code];
}
export function isAtomic(kind: AccessKind): kind is AtomicKind {
  return kind === "tas" || kind === "cas" || kind === "faa" || kind === "store";
}
export function isDeref(kind: AccessKind): kind is "derefRead" | "derefWrite" {
  return kind === "derefRead" || kind === "derefWrite";
}
/** An access that is done at most once an operation (section 7). */
export function isKept(kind: AccessKind): boolean {
  return kind !== "read" && kind !== "derefRead";
}
/**
 * The rights that an access needs of its own pages, in the order in which they are checked. Behind a pointer those of
 * the second step are added.
 */
export function rightsOf(kind: AccessKind): readonly ("write" | "read")[] {
  return isAtomic(kind) ? ["write", "read"] : kind === "write" ? ["write"] : ["read"];
}

/** The second step of an access behind a pointer: a READ or WRITE at the address found. */
export function target(access: Access, pointer: bigint): Access {
  return { ...access, kind: access.kind === "derefWrite" ? "write" : "read", va: pointer };
}

/** How an access fails, with the counter of each. */
export const failureCounter = {
  INVALID: "invalid",
  MIGRATING: "invalid",
  WRITE_PERM: "writePermission",
  READ_PERM: "readPermission",
  OUT_OF_MEMORY: "outOfMemory",
} as const satisfies Record<string, CounterName>;
export type FailedAccess = keyof typeof failureCounter;
/**
 * Why a page refuses an access that needs these rights; undefined: it does not. A page that is being copied, or moves,
 * says MIGRATING: it has no right left and no frame, or only `write`.
 */
export function refusalOf(
  page: PageRights & { readonly valid: boolean },
  needs: readonly ("write" | "read")[],
): "MIGRATING" | "WRITE_PERM" | "READ_PERM" | undefined {
  const lacking = needs.find(right => !(right === "write" ? mayWrite(page) : mayRead(page)));
  if (lacking === undefined) return undefined;
  if (writesWait(page) || !(page.valid || mayRead(page))) return "MIGRATING";
  return lacking === "write" ? "WRITE_PERM" : "READ_PERM";
}

/** The pages that an access touches, in address order. */
export function piecesOf(
  { pageSize, pageShift }: Pick<NodeConfig, "pageSize" | "pageShift">,
  va: bigint,
  length: number,
): Piece[] {
  const out: Piece[] = [],
    shift = BigInt(pageShift);
  let vpn = va >> shift,
    offset = Number(BigInt.asUintN(pageShift, va));
  for (let from = 0; from < length;) {
    const n = Math.min(pageSize - offset, length - from);
    out.push({ vpn, offset, length: n, from });
    from += n;
    offset = 0;
    vpn++;
  }
  return out;
}

/** Whether an access is never answered. */
export function isSilent({ request }: Pick<Access, "request">): boolean {
  return request.clio.opcode === opcode.WRITE_NOREPLY;
}

/**
 * The reply to an access that has been done; `data` are the bytes that a READ found, or the number that
 * an atomic found.
 */
export function doneReply(own: Own, { request, va, length }: Access, data: Uint8Array = new Uint8Array()): Uint8Array {
  const code = replyCode(request.clio.opcode);
  return replyFrame(own, request, code, status.OK, encode(accessBody, { va, length }), data);
}

/** The reply to an access that failed: va, length 0, no data. */
export function failedReply(own: Own, { request, va }: Access, failure: FailedAccess | "FAIL" | "EXPIRED"): Uint8Array {
  return replyFrame(
    own,
    request,
    replyCode(request.clio.opcode),
    status[failure],
    encode(accessBody, { va, length: 0 }),
  );
}

/** The reply to an access that was done before, as it ended then (section 7). */
export function repeatedReply(
  own: Own,
  access: Access,
  result: { readonly status: number; readonly word: bigint },
): Uint8Array {
  const { request, va, kind } = access;
  if (result.status === status.OK)
    return doneReply(own, access, isAtomic(kind) && kind !== "store" ? wordBytesOf(result.word) : undefined);
  return replyFrame(own, request, replyCode(request.clio.opcode), result.status, encode(accessBody, { va, length: 0 }));
}

/** A word as it stands in memory. */
export function wordBytesOf(value: bigint): Uint8Array {
  const out = new Uint8Array(wordBytes);
  new DataView(out.buffer).setBigUint64(0, value, true);
  return out;
}
export function wordOf(bytes: Uint8Array): bigint {
  return new DataView(bytes.buffer, bytes.byteOffset, wordBytes).getBigUint64(0, true);
}
