import { bit, struct, uint } from "../../../../hdl-dsl/index.ts";
import { accessBody, opcode, pointerChaseBody, replyCode } from "../../wire/index.ts";
import { bodyLengthBits, type OffloadParameters } from "../../offload/index.ts";

/** Most bytes of a node, a power of two: every offset of 8 bits finds its 8 bytes in it. */
const nodeBytes = 512;
/** Nodes that one request visits at most unless a build says otherwise. */
const usualMostNodes = 65_535;

export interface ChaseParameters extends OffloadParameters {
  /**
   * Nodes that one request visits at most, whatever its `depth`: the bound ends a list that is a ring. 255 (the largest
   * depth) to 65,535, the default.
   */
  readonly mostNodes?: number;
}
export const mostNodes = ({ mostNodes = usualMostNodes }: ChaseParameters): number => mostNodes;
/** Most bytes of a node in a build: one READ brings it. */
export const largestNode = ({ maxData }: { readonly maxData: number }): number => Math.min(nodeBytes, maxData);

export const bodyBytes = pointerChaseBody.bytes,
  replyOpcode = replyCode(opcode.POINTER_CHASE);
/** Bytes of a reply in front of the value. */
export const replyHead = accessBody.bytes;
/** Bytes of a key and of a pointer. */
export const wordBytes = 8;

export const contextBits = (p: OffloadParameters): number => Math.log2(p.contexts);
export const laneBits = (p: OffloadParameters): number => Math.log2(p.beatBytes);
/** Bits of a byte's place in a node, and of its beat. */
export const placeBits = Math.log2(nodeBytes);
export const indexBits = (p: OffloadParameters): number => placeBits - laneBits(p);
/** Bits of a count of nodes. */
export const visitBits = 16;

const context = (p: OffloadParameters) => uint(contextBits(p));

/**
 * Conditions of a request on each node; kept by context. `keyEnd` and `pointerEnd` are the places of the last bytes of
 * the key and of the pointer to the value.
 */
export const Job = struct({
  key: uint(64),
  useKey: bit,
  useDepth: bit,
  keyEnd: uint(placeBits),
  next: uint(4),
  /** The value is what the pointer points at, and there is some of it. */
  follows: bit,
  pointerEnd: uint(placeBits),
  nodeBytes: uint(bodyLengthBits),
  valueBytes: uint(bodyLengthBits),
  valueOffset: uint(8),
});
/** A request whose form is right: always taken. */
export const JobWrite = (p: OffloadParameters) => struct({ en: bit, context: context(p), job: Job });

/** A READ to be sent: of a node (`left` nodes may be visited, itself too), or of the value behind a pointer. */
export const Fetch = (p: OffloadParameters) =>
  struct({ context: context(p), value: bit, va: uint(64), length: uint(bodyLengthBits), left: uint(visitBits) });
/** The READ of a node has been sent. */
export const Visit = (p: OffloadParameters) => struct({ en: bit, context: context(p), left: uint(visitBits) });
/** The address of the node that answers a request. */
export const Found = (p: OffloadParameters) => struct({ en: bit, context: context(p), va: uint(64) });
/**
 * The end of a request. With status OK the value follows: from the node as it is kept, or, `streamed`, as it
 * comes from memory.
 */
export const Ending = (p: OffloadParameters) => struct({ context: context(p), status: uint(4), streamed: bit });
/** A beat of a node, to be kept: always taken. */
export const NodeBeat = (p: OffloadParameters) =>
  struct({ en: bit, context: context(p), index: uint(indexBits(p)), data: uint(p.beatBytes * 8) });
