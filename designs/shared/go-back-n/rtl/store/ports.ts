/** The parameters and ports of the store, and where a frame lies. */
import {
  axi4Address,
  axi4Read,
  axi4Response,
  axi4Write,
  bit,
  bitsFor,
  type Inside,
  output,
  sink,
  source,
  struct,
  uint,
} from "../../../../../hdl-dsl/index.ts";
import { AxisBeat } from "../../../frame/index.ts";
import { sessionBits, type SessionParameters } from "../types.ts";

export interface GbnStoreParameters extends SessionParameters {
  readonly beatBytes: number;
  readonly frameBytes: number;
  readonly addressBits: number;
  readonly idBits: number;
  /** Where the frames lie in memory, bytes; a multiple of what they take. */
  readonly base: number;
  /** Bytes of a burst, at most: a power of two; default 4,096, which AXI4 allows. */
  readonly burstBytes?: number;
  /** `beats` go to `w` as they come, without registers between; default: registered both ways. */
  readonly direct?: boolean;
}
/** Bytes of memory for a frame: a power of two, so that an address is session, number and byte side by side. */
export const frameSpace = (p: Pick<GbnStoreParameters, "frameBytes">): number =>
  2 ** Math.ceil(Math.log2(p.frameBytes));
/** Bytes of memory for all: window x sessions x the largest frame, rounded up. */
export const gbnMemory = (p: Pick<GbnStoreParameters, "frameBytes" | "sessions" | "window">): number =>
  frameSpace(p) * p.sessions * p.window;
/** Names a frame: its session and its number's place in the window. */
export const FramePlace = (p: GbnStoreParameters) =>
  struct({ session: uint(sessionBits(p)), place: uint(Math.log2(p.window)) });
export const lengthBitsOf = (p: Pick<GbnStoreParameters, "frameBytes">): number => bitsFor(p.frameBytes);
/** Bits of the counts of frames written. */
export const writtenBits = 16;

export const storePorts = (p: GbnStoreParameters) => ({
  place: sink(struct({ at: FramePlace(p), bytes: uint(lengthBitsOf(p)) })),
  beats: sink(AxisBeat(p.beatBytes)),
  written: output(uint(writtenBits)),
  read: sink(FramePlace(p)),
  reading: output(bit),
  frame: source(AxisBeat(p.beatBytes)),
  aw: source(axi4Address(p)),
  w: source(axi4Write(p.beatBytes)),
  b: sink(axi4Response(p)),
  errors: output(bit),
  ar: source(axi4Address(p)),
  r: sink(axi4Read(p)),
});
/** The ports as the module's body sees them. */
export type StoreIo = Inside<ReturnType<typeof storePorts>>;
/** Bits of a frame's place: its session, and its number's place in the window. */
export const placeBitsOf = (p: GbnStoreParameters): number => sessionBits(p) + Math.log2(p.window);
