import { clientEndpoint, FrameClient } from "../../workload/index.ts";
import { clioHeader, frameOffsets, kvReplyBody, opcode, status } from "../../wire/index.ts";
import { decode } from "../../../shared/wire/index.ts";
import { LINE_OVERHEAD } from "../../../../sim/index.ts";
import type { SimulatedNode } from "../../rig/index.ts";
import { CheckFailed } from "../../../shared/command-line/index.ts";
import { valueBytes } from "../../../shared/workload/index.ts";
import { boardGbps } from "./given.ts";

/** ns that the reply with a value takes on the node's line. */
export const kvLineNs = ((frameOffsets.body + kvReplyBody.bytes + valueBytes + LINE_OVERHEAD) * 8) / boardGbps;
/** The i-th key: neighbours are scattered over all keys of 64 bits. */
export function keyOf(i: number): bigint {
  return BigInt.asUintN(64, (BigInt(i) + 1n) * 0x9e37_79b9_7f4a_7c15n);
}
/** A value of the i-th key; the stamp distinguishes one set from the other. */
export function valueOf(i: number, stamp: number): Uint8Array {
  const value = new Uint8Array(valueBytes).fill(stamp % 251);
  new DataView(value.buffer).setUint32(0, i, true);
  return value;
}
/**
 * @throws CheckFailed when what a get has given is no value that was ever set for the i-th key: another key's, or
 * parts of two
 */
export function checkValue(i: number, value: Uint8Array | undefined): void {
  const whole =
    value?.length === valueBytes &&
    new DataView(value.buffer, value.byteOffset).getUint32(0, true) === i &&
    value.subarray(4).every(b => b === value[4]);
  if (!whole) throw new CheckFailed(`a get of key ${i} gives what was never set`);
}

/** Creates under way at a time: as many as the offload works on. */
const atOnce = 8;

/**
 * Creates the keys of some indices at a node's own ports, as fast as the hardware takes them. The node has not joined a
 * network yet, so no line takes time.
 * @throws CheckFailed when the node refuses one
 */
export async function createKeys(node: SimulatedNode, indices: readonly number[]): Promise<void> {
  const client = new FrameClient(clientEndpoint(200), node.runtime),
    waiting = [...indices].reverse(),
    underWay = new Map<number, number>();
  const begin = (): void => {
    while (underWay.size < atOnce) {
      const i = waiting.pop();
      if (i === undefined) return;
      const frame = client.kv(opcode.KV_CREATE, keyOf(i), valueOf(i, 0));
      underWay.set(decode(clioHeader, frame, frameOffsets.clio).requestId, i);
      node.send(frame);
    }
  };
  begin();
  while (underWay.size > 0) {
    await node.bench.until(() => node.mac.received.length > 0);
    for (let f = node.take(); f !== undefined; f = node.take()) {
      const { requestId, status: code } = decode(clioHeader, f.bytes, frameOffsets.clio),
        i = underWay.get(requestId);
      underWay.delete(requestId);
      if (i === undefined) throw new CheckFailed(`the node answers request ${requestId}, which nobody has made`);
      // Nothing was done: once more, behind the others.
      if (code === status.BUSY) waiting.unshift(i);
      else if (code !== status.OK) throw new CheckFailed(`the node answers a KV_CREATE with status ${code}`);
    }
    begin();
  }
}
