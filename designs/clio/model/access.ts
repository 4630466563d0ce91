import { accessBody, encode, opcode, replyCode, replyFrame, status } from "../../packets/index.ts";
import type { CounterName, NodeConfig } from "../config/index.ts";
import type { Own } from "../../packets/index.ts";
import type { Request } from "./classify.ts";

/** A READ or WRITE whose form is right, to be checked against the page table and done. */
export interface Access {
  readonly request: Request; readonly pid: number; readonly va: bigint; readonly length: number;
  /** The bytes of a write; undefined for a READ. */
  readonly data: Uint8Array | undefined;
}
/** A piece of an access inside one page: `length` bytes from `offset` in the page, `from` bytes into the access. */
export interface Piece { readonly vpn: bigint; readonly offset: number; readonly length: number; readonly from: number }

/** How an access fails, with the counter of each. */
export const failureCounter = {
  INVALID: "invalid", WRITE_PERM: "writePermission", READ_PERM: "readPermission", OUT_OF_MEMORY: "outOfMemory",
} as const satisfies Record<string, CounterName>;
export type FailedAccess = keyof typeof failureCounter;

/** The pages that an access touches, in address order. */
export function piecesOf({ pageSize, pageShift }: Pick<NodeConfig, "pageSize" | "pageShift">, va: bigint, length: number): Piece[] {
  const out: Piece[] = [];
  for (let from = 0; from < length;) {
    const at = va + BigInt(from), offset = Number(at & (BigInt(pageSize) - 1n)), n = Math.min(pageSize - offset, length - from);
    out.push({ vpn: at >> BigInt(pageShift), offset, length: n, from });
    from += n;
  }
  return out;
}

/** Whether an access is never answered. */
export function isSilent({ request }: Pick<Access, "request">): boolean { return request.clio.opcode === opcode.WRITE_NOREPLY; }

/** The reply to an access that has been done; `data` are the bytes that a READ found. */
export function doneReply(own: Own, { request, va, length }: Access, data: Uint8Array = new Uint8Array()): Uint8Array {
  const body = new Uint8Array(accessBody.bytes + data.length);
  body.set(encode(accessBody, { va, length }));
  body.set(data, accessBody.bytes);
  return replyFrame(own, request, replyCode(request.clio.opcode), status.OK, body);
}

/** The reply to an access that failed: va, length 0, no data. */
export function failedReply(own: Own, { request, va }: Access, failure: FailedAccess): Uint8Array {
  return replyFrame(own, request, replyCode(request.clio.opcode), status[failure], encode(accessBody, { va, length: 0 }));
}
