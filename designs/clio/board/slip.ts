import {
  bit,
  bitsFor,
  constant,
  fromBits,
  input,
  lastLane,
  module,
  mux,
  node,
  output,
  priority,
  reg,
  sink,
  source,
  uint,
  unpack,
  vec,
  when,
} from "../../../hdl-dsl/index.ts";
import { AxisBeat, LinkBeat } from "../../shared/frame/index.ts";
import { LineByte } from "./uart.ts";

/**
 * Framing on a serial line (RFC 1055): END closes a frame; END and ESC within it are two bytes each. ESC before END,
 * which means nothing, marks a bad frame.
 */
export const slip = { END: 0xc0, ESC: 0xdb, ESC_END: 0xdc, ESC_ESC: 0xdd } as const;

/**
 * Bytes of a serial line to beats of frames. `user` on the last beat marks a frame with a broken byte or a meaningless
 * escape. Nothing between two ENDs is no frame. Latency: a beat leaves 1 cycle after the byte behind it, or END, has
 * come. Initiation interval 1 byte. Nothing waits. Reset: between frames.
 */
export const SlipDecoder = module(
  "SlipDecoder",
  (p: { readonly beatBytes: number }) => ({ byte: input(LineByte), beat: output(LinkBeat(p.beatBytes)) }),
  (io, p) => {
    const count = reg(uint(bitsFor(p.beatBytes)), { init: 0 });
    const lanes = reg(uint(8 * p.beatBytes));
    const escaped = reg(bit, { init: 0 });
    const bad = reg(bit, { init: 0 });
    const out = reg(LinkBeat(p.beatBytes), { init: 0 });
    const { data, valid, broken } = io.byte;
    const ends = node(valid.and(data.eq(slip.END)));
    const escapes = node(valid.and(data.eq(slip.ESC)).and(escaped.not()));
    const known = node(data.eq(slip.ESC_END).or(data.eq(slip.ESC_ESC)));
    const taken = node(valid.and(ends.not()).and(escapes.not()));
    const value = node(mux(escaped, mux(data.eq(slip.ESC_END), constant(slip.END, 8), slip.ESC), data));
    const full = node(count.eq(p.beatBytes));
    const some = node(count.any());

    out.valid.set(0);
    when(valid, () => {
      escaped.set(escapes);
      bad.set(mux(ends, constant(0, 1), bad.or(broken).or(escaped.and(known.not()))));
    });
    when(taken, () => {
      count.set(mux(full, constant(1, count.width), count.add(1)));
      for (let i = 0; i < p.beatBytes; i++) {
        when(i === 0 ? full.or(count.eq(0)) : count.eq(i), () => lanes.setBits(8 * i, value));
      }
    });
    when(ends, () => count.set(0));
    when(taken.and(full).or(ends.and(some)), () => {
      out.set({
        valid: 1,
        data: lanes,
        keep: fromBits(Array.from({ length: p.beatBytes }, (_, i) => count.gt(i))),
        last: ends,
        user: ends.and(bad.or(broken).or(escaped)),
      });
    });
    io.beat.set(out);
  },
);

/**
 * Frames to the bytes of a serial line. A frame whose last beat says `user` ends with ESC END. Latency 0; initiation
 * interval 1 byte, a beat is taken with its last byte. Full: `to.ready` holds the beat. Reset: between two frames.
 */
export const SlipEncoder = module(
  "SlipEncoder",
  (p: { readonly beatBytes: number }) => ({ from: sink(AxisBeat(p.beatBytes)), to: source(uint(8)) }),
  (io, p) => {
    const beat = io.from.payload,
      width = Math.log2(p.beatBytes);
    const lane = reg(uint(width), { init: 0 });
    const escaped = reg(bit, { init: 0 });
    const closing = reg(bit, { init: 0 });
    const bad = reg(bit, { init: 0 });
    const value = node(unpack(vec(uint(8), p.beatBytes), beat.data).at(lane));
    const isEnd = node(value.eq(slip.END));
    const special = node(isEnd.or(value.eq(slip.ESC)));
    const final = node(lane.eq(lastLane(beat.keep)));
    const firstOfTwo = node(escaped.not().and(mux(closing, bad, special)));

    io.to.valid.set(closing.or(io.from.valid));
    io.to.payload.set(
      priority(
        [firstOfTwo, slip.ESC],
        [closing, slip.END],
        [special, mux(isEnd, constant(slip.ESC_END, 8), slip.ESC_ESC)],
        value,
      ),
    );
    io.from.ready.set(io.to.ready.and(closing.not()).and(firstOfTwo.not()).and(final));
    when(io.to.fire, () => {
      escaped.set(firstOfTwo);
      when(firstOfTwo.not(), () => {
        closing.set(closing.not().and(final).and(beat.last));
        when(closing.not(), () => {
          lane.set(mux(final, constant(0, width), lane.add(1)));
          bad.set(beat.user);
        });
      });
    });
  },
);
