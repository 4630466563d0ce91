import {
  atLeast,
  bit,
  cat,
  connect,
  constant,
  module,
  mux,
  node,
  reg,
  sink,
  source,
  stage,
  stream,
  struct,
  uint,
  type UInt,
  when,
} from "../../../hdl-dsl/index.ts";
import { minimumFrame } from "../wire/index.ts";
import { AxisBeat, BodyBeat } from "./beats.ts";
import { keepAll, keepTo } from "./keep.ts";
import { lengthBits } from "./slots.ts";

export interface HeaderShiftParameters {
  readonly beatBytes: number;
  /** Bytes of the header. */
  readonly headerBytes: number;
  /** Bits of the count of bytes that follow the header; 14 unless given. */
  readonly lengthBits?: number;
}
export const lengthBitsOf = (p: Pick<HeaderShiftParameters, "lengthBits">): number => p.lengthBits ?? lengthBits;

/** The header of a frame, byte 0 lowest, and the bytes that follow it. */
export const FrameHead = (p: HeaderShiftParameters) =>
  struct({ header: uint(p.headerBytes * 8), length: uint(lengthBitsOf(p)) });

/**
 * Makes a frame of a header and `length` bytes of data that come from lane 0 (beats as `BodyBeat`), zero-padded to the
 * shortest Ethernet frame. Latency 1 cycle from `head` (and the first data beat that the beat needs) to `frame`, and 1
 * for the output register. Initiation interval 1 beat, no bubble between frames. Full: nothing is kept but the head at
 * hand. Reset: no frame under way.
 */
export const HeaderInsert = module(
  "HeaderInsert",
  (p: HeaderShiftParameters) => ({
    head: sink(FrameHead(p)),
    data: sink(BodyBeat(p)),
    frame: source(AxisBeat(p.beatBytes)),
  }),
  (io, p) => {
    const { beatBytes, headerBytes } = p,
      laneBits = Math.log2(beatBytes),
      whole = Math.floor(headerBytes / beatBytes),
      rest = headerBytes % beatBytes;
    const bodyLengthBits = lengthBitsOf(p),
      countBits = bodyLengthBits + 2 - laneBits,
      sizeBits = bodyLengthBits + 1;

    const active = reg(bit, { init: 0 });
    const header = reg(uint(headerBytes * 8));
    const length = headerBytes < minimumFrame ? reg(uint(bodyLengthBits), { name: "length" }) : undefined;
    const index = reg(uint(countBits));
    // The number of the frame's last byte: of its last beat, and the lane in it.
    const lastByte = reg(uint(sizeBits));
    const dataLeft = reg(uint(countBits));
    const held = reg(uint(Math.max(1, rest) * 8));

    const out = stream(AxisBeat(beatBytes));
    const inBody = node(atLeast(index, whole));
    const takes = node(inBody.and(dataLeft.any()));
    const last = node(index.eq(lastByte.shr(laneBits).resize(countBits)));
    out.valid.set(active.and(takes.not().or(io.data.valid)));
    io.data.ready.set(active.and(takes).and(out.ready));
    const ends = node(out.fire.and(last));
    io.head.ready.set(active.not().or(ends));

    // The beats of the header alone, and the one that it shares with the data.
    const headBeats = Array.from({ length: whole }, (_, i) => header.bits(i * beatBytes * 8, beatBytes * 8));
    const data = io.data.payload.data;
    const shared: UInt =
      rest === 0
        ? data
        : cat(
            data.bits(0, (beatBytes - rest) * 8),
            mux(index.eq(whole), header.bits(whole * beatBytes * 8, rest * 8), held.bits(0, rest * 8)),
          );
    const beat = headBeats.reduceRight((behind: UInt, h, i) => mux(index.eq(i), h, behind), shared);
    // Of a frame that is padded nothing may show behind its bytes.
    const lanes = Array.from({ length: beatBytes }, (_, lane): UInt => {
      const raw = beat.bits(8 * lane, 8);
      const at = Array.from({ length: Math.max(0, minimumFrame - headerBytes) }, (_, i) => i).filter(
        i => (headerBytes + i) % beatBytes === lane,
      );
      return length === undefined
        ? raw
        : at.reduce(
            (v: UInt, i) =>
              mux(index.eq(Math.floor((headerBytes + i) / beatBytes)).and(length.le(i)), constant(0, 8), v),
            raw,
          );
    });
    out.payload.set({
      data: cat(...lanes.reverse()),
      keep: mux(last, keepTo(lastByte.bits(0, laneBits), beatBytes), keepAll(beatBytes)),
      last,
      user: 0,
    });
    when(out.fire, () => {
      index.set(index.add(1));
      when(takes, () => {
        if (rest > 0) held.set(data.bits((beatBytes - rest) * 8, rest * 8));
        dataLeft.set(dataLeft.sub(1));
      });
      when(last, () => active.set(0));
    });
    const given = io.head.payload;
    when(io.head.fire, () => {
      active.set(1);
      header.set(given.header);
      length?.set(given.length);
      index.set(0);
      const bytes = node(given.length.zext(sizeBits).add(headerBytes - 1), { name: "bytes" });
      lastByte.set(
        headerBytes >= minimumFrame
          ? bytes
          : mux(bytes.lt(minimumFrame - 1), constant(minimumFrame - 1, sizeBits), bytes),
      );
      dataLeft.set(
        given.length
          .zext(sizeBits)
          .add(beatBytes - 1)
          .shr(laneBits)
          .resize(countBits),
      );
    });
    connect(stage(out, "full"), io.frame);
  },
  {
    nameOf: p =>
      `HeaderInsert_h${p.headerBytes}_b${p.beatBytes}${p.lengthBits === undefined ? "" : `_l${p.lengthBits}`}`,
  },
);
