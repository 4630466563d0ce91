import {
  type Bit,
  bit,
  cat,
  constant,
  input,
  module,
  mux,
  node,
  output,
  ram,
  reg,
  sink,
  struct,
  uint,
  type UInt,
  vec,
  when,
} from "../../../../hdl-dsl/index.ts";
import { contextBits, type DataFrameParameters, Found, Frame, laneBits, replyHeaderBytes, sizeBits } from "./types.ts";
import { QueryWrite, resultBytes, resultStep } from "./walk.ts";

const placedFields = (p: DataFrameParameters) => ({
  context: uint(contextBits(p)),
  half: bit,
  at: uint(sizeBits),
  turn: uint(laneBits(p)),
  mask: uint(p.beatBytes),
  data: uint(p.beatBytes * 8),
  frame: Frame(p),
});
export const PlacedBytes = (p: DataFrameParameters) => struct(placedFields(p));
/**
 * With `en`, bytes for a frame's buffer, from byte `at` of half `half` of the context's buffer on. The bytes are those
 * of `data` turned upwards by `turn` lanes, as many as `mask` has ones (from its lane 0 on). With `completes`, a frame
 * that is complete with what was placed before. Always taken.
 */
export const Placed = (p: DataFrameParameters) => struct({ en: bit, completes: bit, ...placedFields(p) });
/** Half of a context's buffer. */
export const HalfOf = (p: DataFrameParameters) => struct({ valid: bit, context: uint(contextBits(p)), half: bit });

const most64 = (1n << 64n) - 1n;

/**
 * Decides which rows match, and places the results. Rows of a select are placed one behind another in a buffer of the
 * context, whose two halves hold a frame each. For an aggregate count, sum (modulo 2^64), least and greatest value are
 * kept, from 0, 0, 2^64 - 1 and 0 on. An aggregate's results are placed at the end. A row that does not fit the frame
 * that others have begun completes it.
 *
 * Latency: 1 cycle from `found` to `placed`. Initiation interval: 1 step per cycle, one more where a row
 * completes a frame. Full: waits while the half that comes next is being sent; all requests wait with it. Reset:
 * all halves are free.
 */
export const DfPlace = module(
  "DfPlace",
  (p: DataFrameParameters) => ({
    queries: input(QueryWrite(p)),
    found: sink(Found(p)),
    placed: output(Placed(p)),
    sent: input(HalfOf(p)),
  }),
  (io, p) => {
    const keep = <S extends Parameters<typeof ram>[0]>(shape: S, name: string) =>
      ram(shape, { depth: p.contexts, collision: "undefined", style: "distributed", name });
    const rowBytes = keep(uint(sizeBits), "row_bytes");
    rowBytes.write(io.queries.en, io.queries.query.context, io.queries.query.rowBytes);
    const lanes = laneBits(p),
      Sums = struct({ count: uint(32), sum: uint(64), min: uint(64), max: uint(64) });
    const useds = keep(uint(sizeBits), "useds"),
      sums = keep(Sums, "sums");
    const each = <T>(f: (i: number) => T): T[] => Array.from({ length: p.contexts }, (_, i) => f(i));
    const halves = reg(vec(bit, p.contexts), { init: each(() => 0) });
    const sending = reg(vec(bit, 2 * p.contexts), { init: [...each(() => 0), ...each(() => 0)] });

    const f = io.found.payload,
      s = f.step,
      valid = io.found.valid;
    const matched = reg(bit);
    const matches = node(mux(s.test, f.hit, matched));

    // ---- Rows.
    const used = node(mux(s.opens, constant(0, sizeBits), useds.readAsync(s.context)));
    const fits = node(
      used
        .zext(sizeBits + 1)
        .add(rowBytes.readAsync(s.context).zext(sizeBits + 1))
        .le(p.maxData),
    );
    const half = node(halves.at(s.context));
    // The bit of each context by itself first: so the half need not be known before the context is.
    const busy = node(
      pickPart(
        each(i => mux(halves.at(i), sending.at(2 * i + 1), sending.at(2 * i))),
        s.context,
      ),
    );
    const places = node(s.result.or(s.piece.and(matches)));
    const completes = node(valid.and(s.piece).and(s.begins).and(matches).and(fits.not()));
    const waits = node(busy.and(places.or(s.ends)));
    io.found.ready.set(completes.or(waits).not());
    const done = node(valid.and(completes.or(waits).not()));
    when(done.and(s.test), () => matched.set(f.hit));
    useds.write(
      completes.or(done.and(places.or(s.opens))),
      s.context,
      mux(completes, constant(0, sizeBits), mux(places, used.add(s.bytes.zext(sizeBits)), used)),
    );
    const turns = node(completes.or(done.and(s.ends)));
    when(turns, () => halves.setAt(s.context, half.not()));

    when(io.sent.valid, () => sending.setAt(cat(io.sent.context, io.sent.half), constant(0, 1)));
    when(turns, () => sending.setAt(cat(s.context, half), constant(1, 1)));

    // ---- Sums.
    const kept = sums.readAsync(s.context);
    const before = node(
      mux(
        s.opens,
        { count: constant(0, 32), sum: constant(0, 64), min: constant(most64, 64), max: constant(0, 64) },
        kept,
      ),
    );
    const counts = node(s.value.and(matches));
    const now = {
      count: before.count.add(counts.zext(32)),
      sum: mux(counts, sumOf(before.sum, f.value), before.sum),
      min: mux(counts.and(below(f.value, before.min)), f.value, before.min),
      max: mux(counts.and(below(before.max, f.value)), f.value, before.max),
    };
    sums.write(done.and(s.opens.or(s.value)), s.context, now);
    const result = cat(before.max, before.min, before.sum, before.count.zext(64)),
      step = resultStep(p),
      width = p.beatBytes * 8;
    const parts = Array.from({ length: resultBytes / step }, (_, i) => result.bits(8 * step * i, 8 * step));
    const part = parts.length === 1 ? result : pickPart(parts, s.at.bits(Math.log2(step), Math.log2(parts.length)));

    // ---- Out.
    const out = reg(PlacedBytes(p));
    const placedEn = reg(bit, { init: 0 });
    const placedCompletes = reg(bit, { init: 0 });
    placedEn.set(done.and(places));
    placedCompletes.set(turns);
    const from = mux(s.result, constant(0, lanes), s.at.trunc(lanes));
    out.set({
      context: s.context,
      half,
      at: used.add(replyHeaderBytes),
      turn: used.trunc(lanes).add(constant(replyHeaderBytes % p.beatBytes, lanes).sub(from)),
      mask: constant((1n << BigInt(p.beatBytes)) - 1n, p.beatBytes).shr(s.bytes.sub(1).trunc(lanes).not()),
      data: mux(s.result, part.zext(width), f.data),
      frame: { context: s.context, half, bytes: used, more: s.ends.not(), status: s.status },
    });
    io.placed.set({ ...out, en: placedEn, completes: placedCompletes });
  },
  { nameOf: p => `DfPlace_b${p.beatBytes}_c${p.contexts}_d${p.maxData}_r${p.reads}` },
);

/** a + b of 64 bits, by halves: the upper one stands ready for either carry out of the lower one. */
function sumOf(a: UInt, b: UInt): UInt<64> {
  const high = (v: UInt): UInt => v.bits(32, 32);
  const low = node(a.trunc(32).zext(33).add(b.trunc(32).zext(33))),
    without = node(high(a).add(high(b))),
    // A place more below carries one in: as a difference synthesis would put both into one sum behind the choice.
    one = constant(1, 1),
    withOne = node(
      cat(high(a), one)
        .add(cat(high(b), one))
        .bits(1, 32),
    );
  return cat(mux(low.bit(32), withOne, without), low.trunc(32)).is(64);
}
/** a < b of 64 bits, by halves: the carries of one half, and not of the other behind it. */
function below(a: UInt, b: UInt): Bit {
  const high = (v: UInt): UInt => v.bits(32, 32);
  const same = node(high(a).eq(high(b)));
  return node(
    high(a)
      .lt(high(b))
      .or(same.and(a.trunc(32).lt(b.trunc(32)))),
  );
}

function pickPart(parts: readonly UInt[], index: UInt): UInt {
  if (parts.length === 1) return parts[0] as UInt;
  const half = parts.length / 2,
    top = index.width - 1,
    rest = top === 0 ? index : index.trunc(top);
  return mux(index.bit(top), pickPart(parts.slice(half), rest), pickPart(parts.slice(0, half), rest));
}
