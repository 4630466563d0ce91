import { output, sink } from "../../types/ports.ts";
import { bit, struct, uint, type UIntShape } from "../../types/shape.ts";
import type { Bit, Stream, StreamIn, UInt, Val, Var } from "../../types/value.ts";
import { node, reg } from "../../build/declare.ts";
import { instance, module } from "../../build/module.ts";
import { assertAlways, mux, when } from "../../build/statements.ts";
import { cat, constant } from "../../build/value.ts";
import { stream } from "../../stream/stream.ts";
import { priority } from "../../vectors/index.ts";
import { axisBeat, type AxisBeatShape, lastLane, onlyKept } from "../axi/index.ts";
import { Crc32 } from "../codes/index.ts";
import { ethernet, preamble } from "./frame.ts";
import { idleWord, lanesFrom, Xgmii, xgmiiCode } from "./xgmii.ts";

const BYTES = 8,
  /** The beat in which a frame of 60 bytes ends, and its bytes there. */
  LEAST_BEAT = 7,
  LEAST_KEEP = 0x0f;

/** Frames of 60 bytes and more: zeros are added to shorter ones. */
function padded(from: StreamIn<AxisBeatShape>): StreamIn<AxisBeatShape> {
  const out: Stream<AxisBeatShape> = stream(axisBeat(BYTES), { name: "padded" });
  const beat = reg(uint(3), { init: 0, name: "beat" }),
    passed = reg(bit, { init: 0, name: "passed" }),
    padding = reg(bit, { init: 0, name: "padding" });
  const early = node(beat.ne(LEAST_BEAT)),
    ends = node(from.payload.last.or(padding)),
    { data, keep } = from.payload,
    least = mux(passed, keep, keep.or(LEAST_KEEP));
  out.valid.set(from.valid.or(padding));
  out.payload.set({
    data: mux(padding, constant(0, 64), onlyKept(data, keep)),
    keep: priority([ends.not(), keep], [early, constant(0xff, 8)], [padding, constant(LEAST_KEEP, 8)], least),
    last: ends.andNot(early),
  });
  from.ready.set(out.ready.andNot(padding));
  when(out.fire, () => {
    // Past the least length a frame ends where it ends.
    when(early, () => beat.set(beat.add(1))).otherwise(() => passed.set(1));
    padding.set(ends.and(early));
    when(ends.andNot(early), () => {
      beat.set(0);
      passed.set(0);
    });
  });
  return out;
}

const Token = struct({ start: bit, data: bit, last: bit, bytes: uint(64), keep: uint(8), count: uint(4) });
const nothing = { start: 0, data: 0, last: 0, bytes: 0, keep: 0, count: 0 } as const;

/** When the next frame may begin, and in which half of a word the one under way stands. */
interface Gap {
  readonly open: Bit;
  readonly half: Bit;
  /** What happens in a cycle. Said once. */
  step(s: { readonly starts: Bit; readonly ends: Bit; readonly count: UInt }): void;
}
/**
 * A gap of 12 bytes on average between frames that wait for one another: a frame begins in lane 0 or 4. So a gap is up
 * to three bytes shorter when those before were longer by as many (deficit idle count, IEEE 802.3, 46.3.1.4).
 */
function gaps(closes: Bit): Gap {
  const wait = reg(uint(2), { init: 0, name: "wait" }),
    half = reg(bit, { init: 0, name: "half" }),
    next = reg(bit, { init: 0, name: "next_half" }),
    deficit = reg(uint(2), { init: 0, name: "deficit" }),
    exact = reg(bit, { init: 0, name: "exact" });
  const open = node(wait.eq(0).andNot(closes), { name: "open" });
  return {
    open,
    half,
    step: ({ starts, ends, count }) => {
      // The next frame's place, from the beginning of the word that has the last byte: 12 bytes behind the end.
      const place = node(
        cat(half, constant(0, 2))
          .zext(5)
          .add(count.zext(5))
          .add(ethernet.check + ethernet.gap),
        { name: "place" },
      );
      const owes = node(deficit.addGrow(place.trunc(2)), { name: "owes" }),
        later = owes.bit(2),
        quarter = node(place.shr(2).trunc(3).add(later.zext(3)), { name: "quarter" });
      when(open.not(), () => wait.set(wait.sub(1))).otherwise(() => exact.set(0));
      when(starts, () => {
        half.set(next.and(exact));
        // A gap that is longer than it must be owes nothing, and the frame begins a word.
        when(exact.not(), () => deficit.set(0));
      });
      when(ends, () => {
        // Places are 16 to 28: two or three words on.
        wait.set(quarter.shr(1).trunc(2).sub(2));
        next.set(quarter.bit(0));
        exact.set(1);
        deficit.set(owes.trunc(2));
      });
    },
  };
}

/** The end of a frame: its last bytes, the check sequence, the end, and idle. */
function ending(bytes: UInt, count: UInt, sum: UInt) {
  const at = cat(count, constant(0, 3)),
    wide = 16 * 8;
  const upTo = (n: UInt, width: number): UInt =>
    constant((1n << BigInt(width)) - 1n, width)
      .shl(n)
      .not();
  const code = cat(constant(lanesFrom(0, xgmiiCode.idle), 64), constant(lanesFrom(0, xgmiiCode.idle), 64));
  const sequence = cat(constant(xgmiiCode.terminate, 8), sum).zext(wide).shl(at),
    shift = cat(count.add(ethernet.check + 1).is(4), constant(0, 3)),
    idle = code.andNot(upTo(shift, wide));
  return {
    data: node(bytes.zext(wide).or(sequence).or(idle), { name: "ending" }),
    control: node(upTo(count.add(ethernet.check), 16).not(), { name: "ending_control" }),
  };
}

/**
 * Sends frames over XGMII, 10 Gbit/s with 8 lanes and a clock of 156.25 MHz: preamble, start delimiter, the frame
 * (padded to 60 bytes), its check sequence, and a gap. `from` is a frame without check sequence. Its beats must come
 * without a pause (asserted), each but the last whole.
 *
 * A frame begins in lane 0 or 4. Between frames that wait for one another are 12 bytes on average, the end among them,
 * never less than 9. Latency 4 cycles from the first beat to the word with the start. Initiation interval: as the
 * line has it. After reset the line is idle; a frame under way ends where it is, without an end.
 */
export const XgmiiTransmitter = module(
  "XgmiiTransmitter",
  () => ({ from: sink(axisBeat(BYTES)), line: output(Xgmii) }),
  io => {
    const from = padded(io.from),
      sends = reg(bit, { init: 0 }),
      // A frame's end, a cycle later.
      closes = reg(bit, { init: 0 }),
      lastCount = reg(uint(4)),
      gap = gaps(closes);
    const starts = node(sends.not().and(from.valid).and(gap.open)),
      taken = node(sends.and(from.valid)),
      last = node(taken.and(from.payload.last)),
      count = node(lastLane(from.payload.keep).zext(4).add(1));
    from.ready.set(sends);
    closes.set(last);
    lastCount.set(count);
    gap.step({ starts, ends: closes, count: lastCount });
    when(starts, () => sends.set(1));
    when(last, () => sends.set(0));
    assertAlways(sends.not().or(from.valid), "a frame comes without a pause");
    io.line.set(placed(wordOf(from.payload, { starts, taken, last, count }), gap.half));
  },
);

/** The words of a frame that begins in lane 0, as late as its check sequence is known. */
function wordOf(
  beat: Val<AxisBeatShape>,
  at: { readonly starts: Bit; readonly taken: Bit; readonly last: Bit; readonly count: UInt },
): Val<typeof Xgmii> {
  const [taken, between, token] = ["token_1", "token_2", "token_3"].map(name =>
    reg(Token, { init: nothing, name }),
  ) as [Var<typeof Token>, Var<typeof Token>, Var<typeof Token>];
  const { data, keep } = beat;
  taken.set({ start: at.starts, data: at.taken, last: at.last, bytes: data, keep, count: at.count });
  between.set(taken);
  token.set(between);
  // The sum of a frame is known two cycles after its last beat.
  const sum = instance("sum", Crc32({ bytes: BYTES }));
  sum.from.valid.set(taken.data);
  sum.from.payload.set({ data: taken.bytes, keep: taken.keep, last: taken.last });
  assertAlways(taken.data.not().or(sum.from.ready), "nothing makes a frame wait");
  sum.to.ready.set(token.last);
  assertAlways(token.last.not().or(sum.to.valid), "a frame has its sum when it ends");
  const end = ending(token.bytes, token.count, sum.to.payload),
    rest = reg(Xgmii, { init: idleWord, name: "rest" });
  rest.set({
    data: mux(token.last, end.data.bits(64, 64), constant(idleWord.data, 64)),
    control: mux(token.last, end.control.bits(8, 8), constant(idleWord.control, 8)),
  });
  const opening = BigInt(xgmiiCode.start) | (BigInt(preamble.start) << 56n) | opened;
  return {
    data: node(
      priority(
        [token.start, constant(opening, 64)],
        [token.last, end.data.bits(0, 64)],
        [token.data, token.bytes],
        rest.data,
      ),
      { name: "word_data" },
    ),
    control: node(
      priority(
        [token.start, constant(1, 8)],
        [token.last, end.control.bits(0, 8)],
        [token.data, constant(0, 8)],
        rest.control,
      ),
      { name: "word_control" },
    ),
  };
}
const opened = [1, 2, 3, 4, 5, 6].reduce((v, lane) => v | (BigInt(preamble.byte) << BigInt(8 * lane)), 0n);

/** Words of frames that begin in lane 4 go on by half a word. A gap is long enough to change from one to the other. */
function placed(word: Val<typeof Xgmii>, half: Bit): Val<typeof Xgmii> {
  const before = reg(Xgmii, { init: idleWord, name: "word_before" }),
    line = reg(Xgmii, { init: idleWord, name: "placed" }),
    [soon, moves] = ["moves_soon", "moves"].map(name => reg(bit, { init: 0, name })) as [
      Var<UIntShape<1>>,
      Var<UIntShape<1>>,
    ];
  before.set(word);
  // As late as the word with the start.
  soon.set(half);
  moves.set(soon);
  line.set({
    data: mux(moves, cat(word.data.bits(0, 32), before.data.bits(32, 32)), word.data),
    control: mux(moves, cat(word.control.bits(0, 4), before.control.bits(4, 4)), word.control),
  });
  return line;
}
