/** What a DMA engine is told, in memory. */
import { bit, struct, uint } from "../../types/shape.ts";
import type { Bit, UInt } from "../../types/value.ts";
import { constant } from "../../build/value.ts";
import { orTree } from "../../vectors/index.ts";

/** Bytes of a descriptor, and its alignment. */
export const DESCRIPTOR_BYTES = 64;
/**
 * Where its words of 64 bits begin, in bytes, the lowest byte first. `next`: of the next descriptor, 0: there is none.
 * `size`: bytes of a row, 32 bits, and above them the number of rows, 32 bits. Strides: from one row to the next,
 * modulo the address. `control`: bit 0 asks for an interrupt. `status`: written by the engine.
 */
export const descriptorAt = {
  next: 0,
  source: 8,
  destination: 16,
  size: 24,
  sourceStride: 32,
  destinationStride: 40,
  control: 48,
  status: 56,
} as const;
/** Bits of `status`. `refused`: something is not aligned to the bus, and nothing was moved. */
export const dmaStatus = { done: 1, readError: 2, writeError: 4, refused: 8 } as const;

/** How often what happened, each modulo 2^16. */
export const DmaCounts = struct({
  descriptors: uint(16),
  descriptorErrors: uint(16),
  readErrors: uint(16),
  writeErrors: uint(16),
  refused: uint(16),
});
/** A pulse at the end of a descriptor that asked for it, of one that failed, and of a chain. */
export const DmaEvent = struct({ interrupt: bit, failed: bit, chainEnds: bit });

/** The fields of a descriptor that has been read. */
export function fieldsOf(held: UInt, addressBits: number, beatBytes: number) {
  const word = (at: number): UInt => held.bits(8 * at, addressBits);
  const shift = Math.log2(beatBytes);
  const source = word(descriptorAt.source),
    destination = word(descriptorAt.destination),
    rowBytes = held.bits(8 * descriptorAt.size, 32),
    sourceStride = word(descriptorAt.sourceStride),
    destinationStride = word(descriptorAt.destinationStride);
  const unaligned = (v: UInt): Bit => (shift === 0 ? constant(0, 1) : v.trunc(shift).any());
  return {
    next: word(descriptorAt.next),
    source,
    destination,
    rowBytes,
    rowBeats: rowBytes.bits(shift, 32 - shift),
    rows: held.bits(8 * descriptorAt.size + 32, 32),
    sourceStride,
    destinationStride,
    interrupt: held.bit(8 * descriptorAt.control),
    refused: orTree([source, destination, rowBytes, sourceStride, destinationStride].map(unaligned)),
  };
}
