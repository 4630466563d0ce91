import {
  accessBody,
  allocBody,
  allocReplyBody,
  casBody,
  faaBody,
  kvBody,
  kvReplyBody,
  oldValueBody,
  opcode,
  storeBody,
} from "../wire/index.ts";
import { concat, decode, type Decoded, encode } from "../../shared/wire/index.ts";
import type { RequestSpec } from "./link/request.ts";

/** Bytes of the word that atomics work on, and of a key. */
export const wordBytes = 8,
  keyBytes = 8;
/** A value modulo 2^64. */
export const word = (value: bigint): bigint => BigInt.asUintN(64, value);

/** The reply's address and length are these; `dataBytes` follow them. */
function answers(va: bigint | undefined, length: number, dataBytes: number): (body: Uint8Array) => boolean {
  return body => {
    if (body.length !== accessBody.bytes + dataBytes) return false;
    const got = decode(accessBody, body);
    return (va === undefined || got.va === va) && got.length === length;
  };
}

export function readSpec(pid: number, va: bigint, length: number): RequestSpec {
  return {
    pid,
    code: opcode.READ,
    body: encode(accessBody, { va, length }),
    replyBytes: accessBody.bytes + length,
    fits: answers(va, length, length),
  };
}
export function writeSpec(pid: number, va: bigint, data: Uint8Array): RequestSpec {
  return {
    pid,
    code: opcode.WRITE,
    body: concat(encode(accessBody, { va, length: data.length }), data),
    replyBytes: accessBody.bytes,
    fits: answers(va, data.length, 0),
  };
}
/** The reply's address is the target's, which the client does not know. */
export function derefReadSpec(pid: number, va: bigint, length: number): RequestSpec {
  return { ...readSpec(pid, va, length), code: opcode.DEREF_READ, fits: answers(undefined, length, length) };
}
export function derefWriteSpec(pid: number, va: bigint, data: Uint8Array): RequestSpec {
  return { ...writeSpec(pid, va, data), code: opcode.DEREF_WRITE, fits: answers(undefined, data.length, 0) };
}

const atomic = (pid: number, code: number, va: bigint, body: Uint8Array): RequestSpec => ({
  pid,
  code,
  body,
  replyBytes: oldValueBody.bytes,
  fits: answers(va, wordBytes, wordBytes),
});
export function testAndSetSpec(pid: number, va: bigint): RequestSpec {
  return atomic(pid, opcode.ATOMIC_TAS, va, encode(accessBody, { va, length: wordBytes }));
}
export function compareAndSwapSpec(pid: number, va: bigint, compare: bigint, swap: bigint): RequestSpec {
  return atomic(
    pid,
    opcode.ATOMIC_CAS,
    va,
    encode(casBody, { va, length: wordBytes, compare: word(compare), swap: word(swap) }),
  );
}
export function fetchAndAddSpec(pid: number, va: bigint, addend: bigint): RequestSpec {
  return atomic(pid, opcode.ATOMIC_FAA, va, encode(faaBody, { va, length: wordBytes, addend: word(addend) }));
}
export function storeSpec(pid: number, va: bigint, value: bigint): RequestSpec {
  return {
    pid,
    code: opcode.ATOMIC_STORE,
    body: encode(storeBody, { va, length: wordBytes, value: word(value) }),
    replyBytes: accessBody.bytes,
    fits: answers(va, wordBytes, 0),
  };
}
export function fenceSpec(pid: number): RequestSpec {
  return { pid, code: opcode.FENCE, body: new Uint8Array(), replyBytes: 0, fits: body => body.length === 0 };
}

/** ALLOC and FREE. */
export function allocationSpec(pid: number, code: number, values: Decoded<typeof allocBody>): RequestSpec {
  const replyBytes = allocReplyBody.bytes;
  return { pid, code, body: encode(allocBody, values), replyBytes, fits: body => body.length >= replyBytes };
}

/** A key-value request. @param mostBytes of the value in the reply */
export function kvSpec(pid: number, code: number, key: bigint, value: Uint8Array, mostBytes: number): RequestSpec {
  return {
    pid,
    code,
    body: concat(encode(kvBody, { keySize: keyBytes, valueSize: value.length, key: word(key) }), value),
    replyBytes: kvReplyBody.bytes + mostBytes,
    fits: body => body.length >= kvReplyBody.bytes && body.length <= kvReplyBody.bytes + mostBytes,
  };
}
