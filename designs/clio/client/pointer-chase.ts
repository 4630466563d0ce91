import { accessBody, opcode, pointerChaseBody } from "../wire/index.ts";
import { decode, encode } from "../../shared/wire/index.ts";
import { ClientError } from "./link/errors.ts";
import type { RequestSpec } from "./link/request.ts";
import { word, wordBytes } from "./requests.ts";

/** Target of a search in a linked list, and the places in its nodes; offsets and sizes in bytes. */
export interface ChaseRequest {
  /** Address of the first node; 0: the list has none. */
  readonly first: bigint;
  /** Bytes that the memory node reads of each node of the list, 8 to 512. */
  readonly nodeBytes: number;
  /** Where the address of the next node is, 0 behind the last: a multiple of 8, at most 120. */
  readonly nextOffset: number;
  /**
   * The node whose 8 bytes at `offset` are `key` answers. Without it, number `depth` of the list does (from 1), or
   * else the first.
   */
  readonly key?: { readonly value: bigint; readonly offset: number };
  /** Most nodes to look at, 1 to 255. Default: 65,535, after which the node gives up. */
  readonly depth?: number;
  /**
   * Part of the node to return: bytes of its own, or, by a `pointer` at the offset, bytes elsewhere. Default:
   * its address alone.
   */
  readonly value?: { readonly offset: number; readonly bytes: number; readonly pointer?: boolean };
}
/** The node that answered, and its value. */
export interface Chased {
  readonly va: bigint;
  readonly value: Uint8Array;
}

const mostNodeBytes = 512,
  byteOffset = 255,
  mostDepth = 255;

/** @param mostValue bytes of the value that fit one packet. @throws ClientError for what cannot be */
export function chaseSpec(pid: number, request: ChaseRequest, mostValue: number): RequestSpec {
  const { first, nodeBytes, nextOffset, key, depth, value = { offset: 0, bytes: 0 } } = request;
  const pointer = value.pointer === true;
  check("nodeBytes", nodeBytes, wordBytes, mostNodeBytes);
  check("nextOffset", nextOffset, 0, Math.min(15 * wordBytes, nodeBytes - wordBytes));
  if (nextOffset % wordBytes !== 0)
    throw new ClientError(`nextOffset is ${nextOffset}; give a multiple of ${wordBytes}`);
  if (key !== undefined) check("key.offset", key.offset, 0, Math.min(byteOffset, nodeBytes - wordBytes));
  if (depth !== undefined) check("depth", depth, 1, mostDepth);
  check("value.bytes", value.bytes, 0, pointer ? mostValue : Math.min(mostValue, nodeBytes));
  check("value.offset", value.offset, 0, Math.min(byteOffset, nodeBytes - (pointer ? wordBytes : value.bytes)));
  return {
    pid,
    code: opcode.POINTER_CHASE,
    replyBytes: accessBody.bytes + value.bytes,
    body: encode(pointerChaseBody, {
      addr: word(first),
      key: word(key?.value ?? 0n),
      structSize: nodeBytes,
      valueSize: value.bytes,
      keyOffset: key?.offset ?? 0,
      valueOffset: value.offset,
      depth: depth ?? 0,
      nextOffset: nextOffset / wordBytes,
      useDepth: Number(depth !== undefined),
      useKey: Number(key !== undefined),
      useValuePtr: Number(pointer),
    }),
    fits: body => body.length === accessBody.bytes + value.bytes && decode(accessBody, body).length === value.bytes,
  };
}
/** Content of a reply with status OK. */
export function chasedOf(body: Uint8Array): Chased {
  return { va: decode(accessBody, body).va, value: body.slice(accessBody.bytes) };
}

function check(name: string, value: number, least: number, most: number): void {
  if (!Number.isInteger(value) || value < least || value > most)
    throw new ClientError(`${name} is ${value}; give a whole number from ${least} to ${most}`);
}
