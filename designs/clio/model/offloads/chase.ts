import { accessBody, opcode, pointerChaseBody, replyCode, status } from "../../wire/index.ts";
import { concat, decode, type Decoded, encode } from "../../../shared/wire/index.ts";
import { wordBytes, wordOf } from "../access.ts";
import type { MemoryAnswer, OffloadMemory } from "./memory.ts";

/** A reply of an offload: `body` stands behind the Clio header. */
export interface OffloadAnswer {
  readonly status: number;
  readonly opcode: number;
  readonly body: Uint8Array;
}

/** Most bytes of a node, and most nodes that one request visits unless a build says otherwise. */
const nodeBytes = 512,
  usualMostNodes = 65_535;
const none = new Uint8Array();

/**
 * POINTER_CHASE in plain TypeScript: the required answers of the hardware, with the same READs in the same order.
 * @param body all behind the Clio header
 * @param maxData largest READ of the node, bytes
 * @param mostNodes nodes that a request visits at most, whatever its depth
 */
export function chase(
  memory: OffloadMemory,
  pid: number,
  code: number,
  body: Uint8Array,
  maxData: number,
  mostNodes = usualMostNodes,
): OffloadAnswer {
  const refuse = (status: number): OffloadAnswer => ({ status, opcode: replyCode(opcode.POINTER_CHASE), body: none });
  if (code !== opcode.POINTER_CHASE || body.length !== pointerChaseBody.bytes) return malformed;
  const job = decode(pointerChaseBody, body);
  if (!holds(job, maxData)) return malformed;
  const read = (va: bigint, length: number): MemoryAnswer =>
    memory.access({ opcode: opcode.READ, pid, va, length, data: none });

  let left = job.useDepth ? job.depth : mostNodes;
  for (let va = job.addr; va !== 0n && left > 0; left--) {
    const node = read(va, job.structSize);
    if (node.status !== status.OK) return refuse(node.status);
    const wordAt = (offset: number): bigint => wordOf(node.data.subarray(offset, offset + wordBytes));
    if (job.useKey ? wordAt(job.keyOffset) === job.key : !job.useDepth || left === 1) {
      const follows = job.useValuePtr && job.valueSize > 0;
      const value = follows
        ? read(wordAt(job.valueOffset), job.valueSize)
        : { status: status.OK, data: node.data.subarray(job.valueOffset, job.valueOffset + job.valueSize) };
      return value.status === status.OK
        ? { ...refuse(status.OK), body: concat(encode(accessBody, { va, length: job.valueSize }), value.data) }
        : refuse(value.status);
    }
    va = wordAt(wordBytes * job.nextOffset);
  }
  return refuse(status.FAIL);
}
const malformed: OffloadAnswer = { status: status.MALFORMED, opcode: opcode.POINTER_CHASE, body: none };

/** Whether a node has all that is looked for in it. */
function holds(job: Decoded<typeof pointerChaseBody>, maxData: number): boolean {
  const { structSize, valueSize, valueOffset, useValuePtr } = job;
  const needed = [
    wordBytes * (job.nextOffset + 1),
    valueOffset + (useValuePtr ? wordBytes : valueSize),
    ...(job.useKey ? [job.keyOffset + wordBytes] : []),
  ];
  return (
    structSize >= 1 &&
    structSize <= Math.min(nodeBytes, maxData) &&
    valueSize <= maxData &&
    Math.max(...needed) <= structSize
  );
}
