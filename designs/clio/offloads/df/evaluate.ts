import {
  bit,
  type Bit,
  cat,
  constant,
  fromBits,
  input,
  type Inside,
  module,
  mux,
  node,
  ram,
  reg,
  repeat,
  sink,
  source,
  stage,
  struct,
  uint,
  type UInt,
  type UIntVar,
  type Val,
  when,
} from "../../../../hdl-dsl/index.ts";
import { ReadWrite } from "./reads.ts";
import { type DataFrameParameters, Found, laneBits, mostFieldBytes, readBeats, Step } from "./types.ts";
import { QueryWrite } from "./walk.ts";

const byteBits = 8,
  wordBits = 64,
  wordShift = Math.log2(mostFieldBytes);

const evaluatePorts = (p: DataFrameParameters) => ({
  queries: input(QueryWrite(p)),
  written: input(ReadWrite(p)),
  step: sink(Step(p)),
  found: source(Found(p)),
});
type Io = Inside<ReturnType<typeof evaluatePorts>>;

/** What queries say about fields and operands, by context. */
function queriesOf(io: Io, p: DataFrameParameters) {
  const keep = <S extends Parameters<typeof ram>[0]>(shape: S, name: string) =>
    ram(shape, { depth: p.contexts, collision: "undefined", style: "distributed", name });
  const sizes = keep(struct({ field: uint(4), value: uint(4) }), "sizes"),
    operands = keep(uint(wordBits), "operands"),
    predicates = keep(uint(3), "predicates");
  sizes.write(io.queries.en, io.queries.query.context, {
    field: io.queries.query.fieldBytes,
    value: io.queries.query.valueBytes,
  });
  operands.write(io.queries.en, io.queries.query.context, io.queries.query.operand);
  predicates.write(io.queries.en, io.queries.query.context, io.queries.query.predicate);

  return { sizes, operands, predicates };
}

/** Both beats of the window, one from each memory. */
function beatsOfWindow(io: Io, p: DataFrameParameters, a: Val<ReturnType<typeof Step>>, go: Bit) {
  const lanes = laneBits(p),
    width = p.beatBytes * byteBits,
    beatBits = Math.log2(readBeats(p));
  const bank = (name: string) =>
    ram(uint(width), { depth: (p.reads * readBeats(p)) / 2, collision: "undefined", style: "block", name });
  const even = bank("even"),
    odd = bank("odd");
  const w = io.written,
    to = node(cat(w.read, w.beat.bits(1, beatBits - 1)));
  even.write(w.en.and(w.beat.bit(0).not()), to, w.data);
  odd.write(w.en.and(w.beat.bit(0)), to, w.data);
  const beat = node(a.at.bits(lanes, beatBits)),
    lane = node(a.at.trunc(lanes));
  const evenWord = even.readSync(cat(a.read, beat.add(1).bits(1, beatBits - 1)), { en: go });
  const oddWord = odd.readSync(cat(a.read, beat.bits(1, beatBits - 1)), { en: go });
  return { beat, lane, evenWord, oddWord };
}

/** The registers of the stages. */
function stagesOf(p: DataFrameParameters) {
  const lanes = laneBits(p),
    width = p.beatBytes * byteBits;
  const Located = struct({ step: Step(p), fieldLane: uint(lanes), valueLane: uint(lanes) });
  const valid1 = reg(bit, { init: 0 });
  const at1 = reg(Located);
  // Lanes from the first one on are of the first beat.
  const takeEven = reg(uint(p.beatBytes));

  // ---- 2: the window, each byte on its own lane.
  const valid2 = reg(bit, { init: 0 });
  const at2 = reg(Located);
  const data2 = reg(uint(width));

  // ---- 3: the two words that the field lies in, and the value.
  const valid3 = reg(bit, { init: 0 });
  const at3 = reg(Located);
  const data3 = reg(uint(width));
  const fieldWords = reg(uint(2 * wordBits));
  const valueWords = reg(uint(2 * wordBits));

  // ---- 4: field and value.
  const valid4 = reg(bit, { init: 0 });
  const step4 = reg(Step(p));
  const data4 = reg(uint(width));
  const field4 = reg(uint(wordBits));
  const value4 = reg(uint(wordBits));

  // ---- 5: compared.
  const valid5 = reg(bit, { init: 0 });
  const step5 = reg(Step(p));
  const data5 = reg(uint(width));
  const value5 = reg(uint(wordBits));
  const equal = reg(bit);
  const less = reg(bit);

  // ---- 6: as it should be, or not. Predicates 0 to 5: =, !=, <, <=, >, >=.
  const found = reg(Found(p));
  return {
    one: { valid1, at1, takeEven },
    two: { valid2, at2, data2 },
    three: { valid3, at3, data3, fieldWords, valueWords },
    four: { valid4, step4, data4, field4, value4 },
    five: { valid5, step5, data5, value5, equal, less },
    found,
  };
}
type Stages = ReturnType<typeof stagesOf>;

/** Stages 1 to 3: the window, and in it the words of field and value. */
function windowStages(
  p: DataFrameParameters,
  arrived: { readonly valid: Bit; readonly payload: Val<ReturnType<typeof Step>> },
  { beat, lane, evenWord, oddWord }: ReturnType<typeof beatsOfWindow>,
  { one, two, three }: Stages,
): void {
  const a = arrived.payload,
    { valid1, at1, takeEven } = one,
    { valid2, at2, data2 } = two,
    { valid3, at3, data3, fieldWords, valueWords } = three;
  valid1.set(arrived.valid);
  at1.set({ step: a, fieldLane: lane.add(a.field), valueLane: lane.add(a.valueAt) });
  takeEven.set(
    constant((1n << BigInt(p.beatBytes)) - 1n, p.beatBytes)
      .shl(lane)
      .xor(repeat(beat.bit(0), p.beatBytes)),
  );

  valid2.set(valid1);
  at2.set(at1);
  data2.set(
    perLane(p, i => mux(takeEven.bit(i), evenWord.bits(byteBits * i, byteBits), oddWord.bits(byteBits * i, byteBits))),
  );

  valid3.set(valid2);
  at3.set(at2);
  data3.set(data2);
  fieldWords.set(wordsFrom(data2, at2.fieldLane));
  valueWords.set(wordsFrom(data2, at2.valueLane));
}

/** Stages 4 to 6: field and value, compared. */
function compareStages(
  { sizes, operands, predicates }: ReturnType<typeof queriesOf>,
  { three, four, five, found }: Stages,
  full: UIntVar<1>,
): void {
  const { valid3, at3, data3, fieldWords, valueWords } = three,
    { valid4, step4, data4, field4, value4 } = four,
    { valid5, step5, data5, value5, equal, less } = five;
  const size = sizes.readAsync(at3.step.context);
  valid4.set(valid3);
  step4.set(at3.step);
  data4.set(data3);
  field4.set(bytesFrom(fieldWords, at3.fieldLane, size.field));
  value4.set(bytesFrom(valueWords, at3.valueLane, size.value));

  const operand = operands.readAsync(step4.context);
  valid5.set(valid4);
  step5.set(step4);
  data5.set(data4);
  value5.set(value4);
  equal.set(field4.eq(operand));
  less.set(field4.lt(operand));

  const predicate = predicates.readAsync(step5.context),
    below = less.or(predicate.bit(0).and(equal)),
    above = less.or(predicate.bit(0).not().and(equal)).not();
  full.set(valid5);
  found.set({
    step: step5,
    data: data5,
    hit: mux(predicate.bit(2), above, mux(predicate.bit(1), below, equal.xor(predicate.bit(0)))),
    value: value5,
  });
}

/**
 * Examines rows: the bytes of the READs are kept here, and each step names a window of `beatBytes` of them, from any
 * byte on. `found` carries those bytes, byte a of the buffer on lane a mod `beatBytes`. `found` also carries the value,
 * and the result of the predicate on field and operand, both unsigned. Every other beat stands in a memory of its own,
 * so that a window over two beats is read in one cycle.
 *
 * Latency: 7 cycles from `step` to `found`. Initiation interval: one step per cycle. Full: stands still while `found`
 * waits. Reset drops the steps.
 */
export const DfEvaluate = module(
  "DfEvaluate",
  evaluatePorts,
  (io, p) => {
    const queries = queriesOf(io, p);
    const full = reg(bit, { init: 0 });
    const go = node(full.not().or(io.found.ready));
    const arrived = stage(io.step, "full");
    arrived.ready.set(go);

    const window = beatsOfWindow(io, p, arrived.payload, go),
      stages = stagesOf(p);
    when(go, () => {
      windowStages(p, arrived, window, stages);
      compareStages(queries, stages, full);
    });
    io.found.valid.set(full);
    io.found.payload.set(stages.found);
  },
  { nameOf: p => `DfEvaluate_b${p.beatBytes}_c${p.contexts}_d${p.maxData}_r${p.reads}` },
);

function perLane(p: { readonly beatBytes: number }, f: (lane: number) => UInt): UInt {
  return cat(...Array.from({ length: p.beatBytes }, (_, i) => f(p.beatBytes - 1 - i)));
}
/** The aligned word that lane `first` lies in, and the one behind it, round the end. */
function wordsFrom(data: UInt, first: UInt): UInt {
  const count = data.width / wordBits,
    words = Array.from({ length: count }, (_, i) => data.bits(i * wordBits, wordBits));
  if (count === 1) return cat(data, data);
  const pick = (of: readonly UInt[], index: UInt): UInt => {
    if (of.length === 1) return of[0] as UInt;
    const half = of.length / 2,
      top = index.width - 1,
      rest = top === 0 ? index : index.trunc(top);
    return mux(index.bit(top), pick(of.slice(half), rest), pick(of.slice(0, half), rest));
  };
  const index = first.bits(wordShift, first.width - wordShift);
  return cat(pick([...words.slice(1), words[0] as UInt], index), pick(words, index));
}
/** `count` bytes (1 to 8) of two words, from lane `first` of the lower on; above them 0. */
function bytesFrom(words: UInt, first: UInt, count: UInt): UInt {
  let shifted = words;
  for (let k = 0; k < wordShift; k++) shifted = mux(first.bit(k), shifted.shr(byteBits * 2 ** k), shifted);
  const kept = fromBits(
    Array.from({ length: mostFieldBytes }, (_, i) => count.gt(i)).flatMap(b =>
      Array.from({ length: byteBits }, () => b),
    ),
  );
  return shifted.trunc(wordBits).and(kept);
}
