import { source, type StreamPort } from "../../types/ports.ts";
import { bit, struct, type StructShape, uint, type UIntShape } from "../../types/shape.ts";

/**
 * Fields of an AXI-Stream beat of `bytes` bytes. Byte 0 is the lowest and comes first; `keep` marks the bytes that
 * count; `last` ends a frame.
 */
export type AxisBeatShape = StructShape<{
  readonly data: UIntShape;
  readonly keep: UIntShape;
  readonly last: UIntShape<1>;
}>;

/** The shape of an AXI-Stream beat. Only the last beat of a frame may have `keep` bits of 0, the highest ones. */
export function axisBeat(bytes: number): AxisBeatShape {
  return struct({ data: uint(bytes * 8), keep: uint(bytes), last: bit });
}

/** An AXI-Stream of `bytes` bytes as the port of its master; `flip` gives the slave's. */
export const axiStream = (bytes: number): StreamPort<"out", AxisBeatShape> => source(axisBeat(bytes));
