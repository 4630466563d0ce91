/** Parameters and ports of the sync unit. */
import {
  axi4Address,
  axi4Read,
  axi4Response,
  axi4Write,
  cat,
  constant,
  input,
  type Inside,
  output,
  sink,
  source,
  uint,
  type UInt,
} from "../../../../../hdl-dsl/index.ts";
import { slotBits } from "../../../../shared/frame/index.ts";
import { Access, operandBits } from "../../records/records.ts";
import { SyncReply, SyncRequest, SyncResult, wordBytes } from "../sync-ops.ts";
import { laneBits } from "../sync-words.ts";

export interface SyncUnitParameters {
  readonly slots: number;
  readonly beatBytes: number;
  readonly addressBits: number;
  readonly idBits: number;
  /** The AXI ID of all its accesses; no other block uses it. */
  readonly id: number;
  /** Operations in flight, a power of two. */
  readonly lanes: number;
}

export const syncPorts = (p: SyncUnitParameters) => ({
  request: sink(SyncRequest(p)),
  operandSlot: output(uint(slotBits(p))),
  operands: input(uint(operandBits)),
  ar: source(axi4Address(p)),
  r: sink(axi4Read(p)),
  aw: source(axi4Address(p)),
  w: source(axi4Write(p.beatBytes)),
  b: sink(axi4Response(p)),
  result: output(SyncResult(p)),
  reply: source(SyncReply(p)),
  /** The second half of a DEREF: the access to what the pointer points at. */
  access: source(Access(p)),
});

/** Widths and shapes that the unit's parts share. */
export function build(io: Inside<ReturnType<typeof syncPorts>>, p: SyncUnitParameters) {
  const beatShift = Math.log2(p.beatBytes),
    wordShift = Math.log2(wordBytes);
  return {
    io,
    p,
    beatShift,
    wordShift,
    lanesOfBeat: p.beatBytes / wordBytes,
    lane: uint(laneBits(p)),
    /** The number of a word. */
    word: uint(p.addressBits - wordShift),
    /** A lane has one address bit at least: both of its values name a word. */
    laneWords: Math.max(2, p.lanes),
    /** The access to the beat of a word. */
    address: (wordNumber: UInt) => ({
      addr: cat(wordNumber.bits(beatShift - wordShift, p.addressBits - beatShift), constant(0, beatShift)),
      id: constant(p.id, p.idBits),
      len: constant(0, 8),
      size: constant(beatShift, 3),
      burst: constant(1, 2),
    }),
  };
}
export type Build = ReturnType<typeof build>;
