import { accessBody, casBody, faaBody, storeBody } from "../wire/index.ts";
import { decode, type Layout } from "../../shared/wire/index.ts";
import { type Access, type AccessKind, isAtomic, isDeref, kindOf, wordBytes } from "./access.ts";
import type { Request } from "./classify.ts";

/** The fixed part of a request's body, when it is longer than va and length. */
const bodies: Partial<Record<AccessKind, Layout>> = { cas: casBody, faa: faaBody, store: storeBody };

/**
 * Section 4, points 5 to 7: the access of a request, or undefined when its form is wrong.
 * @param body what stands behind the Clio header, as far as `size` goes
 */
export function accessOf(
  { maxData }: { readonly maxData: number },
  request: Request,
  body: Uint8Array,
): Access | undefined {
  const { clio } = request,
    kind = kindOf(clio.opcode);
  if (kind === undefined || body.length < (bodies[kind] ?? accessBody).bytes) return undefined;
  const { va, length } = decode(accessBody, body);
  const writes = kind === "write" || kind === "derefWrite";
  if (isAtomic(kind) ? length !== wordBytes : length < 1 || length > maxData) return undefined;
  if ((isAtomic(kind) || isDeref(kind)) && va % BigInt(wordBytes) !== 0n) return undefined;
  if (writes && length > body.length - accessBody.bytes) return undefined;
  const data = writes ? body.slice(accessBody.bytes, accessBody.bytes + length) : undefined;
  return { request, kind, pid: clio.pid, va, length, data, ...operands(kind, body) };
}

function operands(kind: AccessKind, body: Uint8Array): Pick<Access, "operand" | "swap"> {
  switch (kind) {
    case "cas": {
      const { compare, swap } = decode(casBody, body);
      return { operand: compare, swap };
    }
    case "faa":
      return { operand: decode(faaBody, body).addend, swap: 0n };
    case "store":
      return { operand: decode(storeBody, body).value, swap: 0n };
    default:
      return { operand: 0n, swap: 0n };
  }
}
