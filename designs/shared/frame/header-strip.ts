import {
  assertAlways,
  bit,
  cat,
  constant,
  module,
  mux,
  node,
  output,
  reg,
  sink,
  source,
  struct,
  uint,
  type UInt,
  when,
} from "../../../hdl-dsl/index.ts";
import { AxisBeat, BodyBeat } from "./beats.ts";
import { type HeaderShiftParameters, lengthBitsOf } from "./header-insert.ts";

export interface HeaderStripParameters extends HeaderShiftParameters {
  /** Byte of the frame that `route` shows. */
  readonly routeByte: number;
  /** First byte of the frame's size, 16 bits, little-endian: two bytes within the header, both of one beat. */
  readonly sizeByte: number;
  /** First byte of the frame that the size counts. */
  readonly sizeFrom: number;
}

/**
 * A frame's header, byte 0 lowest; the bytes of data that follow it, as the header's size tells; and whether the frame
 * was marked bad.
 */
export const StrippedHead = (p: HeaderShiftParameters) =>
  struct({ header: uint(p.headerBytes * 8), length: uint(lengthBitsOf(p)), bad: bit });

/**
 * Takes frames apart: the header as a whole, told of at the frame's last beat, and the data behind it from lane 0. The
 * header reaches at least to the end of the size. What stands behind the size's bytes is no data. A frame that ends
 * within the header has no data, and whatever stands in its missing bytes means nothing. `route` is the byte
 * `routeByte` of the frame whose data beat is being offered.
 *
 * Latency: 1 cycle from a beat to the data beat that it completes, 1 from the last beat to `head`. A last data
 * beat that begins in the frame's last beat takes 2. Initiation interval: 1 beat per cycle, no bubble: while
 * `head` and `data` are taken at once `frame.ready` is always 1. Full: a beat is kept; when `head` or `data`
 * stalls, the frame does.
 */
export const HeaderStrip = module(
  "HeaderStrip",
  (p: HeaderStripParameters) => ({
    frame: sink(AxisBeat(p.beatBytes)),
    head: source(StrippedHead(p)),
    data: source(BodyBeat(p)),
    route: output(uint(8)),
  }),
  (io, p) => {
    const { beatBytes, headerBytes, sizeByte } = p,
      bodyLengthBits = lengthBitsOf(p),
      rest = headerBytes % beatBytes,
      headBeat = Math.ceil(headerBytes / beatBytes) - 1;
    const indexBits = Math.ceil(Math.log2(headBeat + 3)),
      past = headBeat + 1,
      within = headerBytes - p.sizeFrom;

    // The beat at hand, the one before it, and the header so far.
    const valid = reg(bit, { init: 0 });
    const beat = reg(AxisBeat(beatBytes));
    const index = reg(uint(indexBits));
    const nextIndex = reg(uint(indexBits), { init: 0 });
    const before = reg(uint(beatBytes * 8));
    const header = reg(uint(headerBytes * 8));
    const length = reg(uint(bodyLengthBits));
    const left = reg(uint(bodyLengthBits));
    /** A last data beat still to come, of `before` alone. */
    const flush = reg(bit, { init: 0 });
    const flushRoute = reg(uint(8));
    const headGiven = reg(bit, { init: 0 });
    const dataGiven = reg(bit, { init: 0 });

    const inHeader = node(index.lt(past));
    // Data beats still to be completed by the beat at hand and those behind it. The register is loaded with the beat
    // that ends the header.
    const emitsDue = node(left.any());
    const emits = node(valid.and(inHeader.not()).and(emitsDue));
    assertAlways(flush.and(emits).not(), "a last data beat leaves while the next frame's header comes");

    io.data.valid.set(flush.or(emits.and(dataGiven.not())));
    const high = rest === 0 ? undefined : before.bits(rest * 8, (beatBytes - rest) * 8);
    // A flushed beat stands still while the next frame comes in.
    const joined: UInt =
      high === undefined ? beat.data : cat(mux(flush, constant(0, rest * 8), beat.data.bits(0, rest * 8)), high);
    io.data.payload.set({ data: joined, last: flush.or(left.eq(1)) });
    const route = header.bits(p.routeByte * 8, 8);
    io.route.set(mux(flush, flushRoute, route));
    const dataSettled = node(emits.not().or(dataGiven).or(io.data.ready));
    io.head.valid.set(valid.and(beat.last).and(headGiven.not()));
    io.head.payload.set({ header, length, bad: beat.user });
    const headSettled = node(beat.last.not().or(headGiven).or(io.head.ready));
    const flushSettled = node(flush.not().or(io.data.ready));
    const moves = node(valid.and(dataSettled).and(headSettled).and(flushSettled));
    const room = node(valid.not().or(moves));
    io.frame.ready.set(room);

    when(flush.and(io.data.ready), () => flush.set(0));
    const after = node(mux(emits, left.sub(1), left));
    when(moves, () => {
      valid.set(0);
      left.set(after);
      before.set(beat.data);
      headGiven.set(0);
      dataGiven.set(0);
      if (rest > 0) flush.set(beat.last.and(after.any()));
      flushRoute.set(route);
    }).otherwise(() => {
      when(io.head.fire, () => headGiven.set(1));
      when(emits.and(io.data.fire), () => dataGiven.set(1));
    });
    when(io.frame.fire, () => {
      valid.set(1);
      beat.set(io.frame.payload);
      index.set(nextIndex);
      // The size: in the header so far, or in the very beat that ends it.
      const sizeBeat = Math.floor(sizeByte / beatBytes),
        from =
          sizeBeat === headBeat
            ? io.frame.payload.data.bits((sizeByte % beatBytes) * 8, 16)
            : header.bits(sizeByte * 8, 16);
      const size = node(from.is(16), { name: "size" }),
        some = node(size.gt(within), { name: "some" }),
        none = constant(0, bodyLengthBits);
      when(nextIndex.eq(headBeat), () => {
        length.set(mux(some, size.sub(within).trunc(bodyLengthBits), none));
        left.set(
          mux(
            some,
            size
              .addGrow(constant(beatBytes - 1, 16))
              .sub(within)
              .shr(Math.log2(beatBytes))
              .trunc(bodyLengthBits),
            none,
          ),
        );
      });
      if (headBeat > 0)
        when(nextIndex.eq(0), () => {
          length.set(0);
          left.set(0);
        });
      nextIndex.set(
        mux(io.frame.payload.last, nextIndex.sub(nextIndex), mux(nextIndex.eq(past), nextIndex, nextIndex.add(1))),
      );
      for (let i = 0; i <= headBeat; i++) {
        const bytes = Math.min(beatBytes, headerBytes - i * beatBytes);
        when(nextIndex.eq(i), () => header.setBits(i * beatBytes * 8, io.frame.payload.data.bits(0, bytes * 8)));
      }
    });
  },
  {
    nameOf: p =>
      `HeaderStrip_h${p.headerBytes}_b${p.beatBytes}${p.lengthBits === undefined ? "" : `_l${p.lengthBits}`}`,
  },
);
