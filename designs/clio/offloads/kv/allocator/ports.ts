/** The ports of the allocator. */
import { bit, input, type Inside, output, sink, source, struct, uint } from "../../../../../hdl-dsl/index.ts";
import { classBits } from "../layout.ts";
import { MemoryBeat } from "../merged.ts";
import { blockBits, type KvParameters, sizeBits } from "../parameters.ts";
import { MemoryEvent } from "../replies.ts";

/**
 * Request for a block: of a class, for the request in `context`, for its pair or (`slot`) to lengthen a bucket's chain.
 * The request may also be for the hash table itself.
 */
export const Take = (p: KvParameters) =>
  struct({ table: bit, slot: bit, kind: uint(classBits), context: uint(Math.log2(p.contexts)) });
/** Result of the request: the block, or the reason why there is none. */
export const Taken = (p: KvParameters) =>
  struct({ slot: bit, context: uint(Math.log2(p.contexts)), status: uint(4), block: uint(blockBits) });
/** Blocks to be freed: that of a value of `size` bytes, and one of 64 bytes. */
export const Give = struct({
  value: bit,
  block: uint(blockBits),
  size: uint(sizeBits),
  slot: bit,
  slotBlock: uint(blockBits),
});

export const allocatorPorts = (p: KvParameters) => ({
  take: sink(Take(p)),
  taken: source(Taken(p)),
  give: sink(Give),
  memory: source(MemoryBeat(p)),
  event: input(MemoryEvent),
  done: output(bit),
});
/** The ports as the module's body sees them. */
export type AllocatorIo = Inside<ReturnType<typeof allocatorPorts>>;
