/** Words of 64 bits on beats of 8 to 64 bytes, and back. Word 0 stands on lane 0. */
import {
  type Bit,
  bitsFor,
  constant,
  mux,
  node,
  reg,
  scope,
  stream,
  type StreamIn,
  uint,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";
import { BodyBeat } from "../../../shared/frame/index.ts";
import { mostWords } from "../../wire/index.ts";
import { Word } from "../engine/types.ts";

const countBits = bitsFor(mostWords);

/** What begins the words of one item: how many, from the cycle in which `en` is 1. */
export interface Begin {
  readonly en: Bit;
  readonly words: UInt;
}

/**
 * The words that stand on beats: `begin.words` of them, while `busy`. The beat is read where it stands: latency 0,
 * initiation interval 1 word. A beat is taken with its last word.
 */
export function beatsToWords(
  from: StreamIn<ReturnType<typeof BodyBeat>>,
  begin: Begin,
  beatBytes: number,
): { readonly words: StreamIn<typeof Word>; readonly busy: Bit; readonly ends: Bit } {
  return scope("to_words", () => {
    const lanes = beatBytes / 8,
      laneBits = Math.max(1, Math.log2(lanes)),
      left = reg(uint(countBits), { init: 0, name: "left" }),
      lane = reg(uint(laneBits), { name: "lane", mayBeUnread: lanes === 1 }),
      out = stream(Word, { name: "word" });
    const busy = node(left.any(), { name: "busy" }),
      final = node(left.eq(1), { name: "final" }),
      lastLane = node(lanes === 1 ? constant(1, 1) : lane.eq(lanes - 1), { name: "last_lane" });
    const words = Array.from({ length: lanes }, (_, i) => from.payload.data.bits(64 * i, 64));
    out.valid.set(busy.and(from.valid));
    out.payload.set(pick(words, lane).is(64));
    from.ready.set(busy.and(out.ready).and(final.or(lastLane)));
    when(out.fire, () => {
      left.set(left.sub(1));
      lane.set(lane.add(1));
    });
    when(begin.en, () => {
      left.set(begin.words.resize(countBits));
      lane.set(0);
    });
    return { words: out, busy, ends: node(out.fire.and(final), { name: "ends" }) };
  });
}

/** One of a power of two of values, as a tree. */
export function pick(values: readonly UInt[], index: UInt): UInt {
  if (values.length === 1) return values[0] as UInt;
  const halves = Array.from({ length: values.length / 2 }, (_, i) =>
    mux(index.bit(0), values[2 * i + 1] as UInt, values[2 * i] as UInt),
  );
  return halves.length === 1 ? (halves[0] as UInt) : pick(halves, index.shr(1));
}

/**
 * Beats of the words that come: `begin.words` of them, `last` on the last. Latency 1 cycle behind the last word of a
 * beat, initiation interval 1 word and 1 cycle a beat. `busy` until the last beat has been taken.
 */
export function wordsToBeats(
  from: StreamIn<typeof Word>,
  begin: Begin,
  beatBytes: number,
): { readonly beats: StreamIn<ReturnType<typeof BodyBeat>>; readonly busy: Bit } {
  return scope("to_beats", () => {
    const lanes = beatBytes / 8,
      laneBits = Math.max(1, Math.log2(lanes)),
      left = reg(uint(countBits), { init: 0, name: "left" }),
      lane = reg(uint(laneBits), { name: "lane", mayBeUnread: lanes === 1 }),
      full = reg(uint(1), { init: 0, name: "full" }),
      data = reg(uint(8 * beatBytes), { name: "data" }),
      out = stream(BodyBeat({ beatBytes }), { name: "beat" });
    out.valid.set(full);
    out.payload.set({ data, last: left.eq(0) });
    from.ready.set(left.any().and(full.not()));
    when(out.fire, () => full.set(0));
    when(from.fire, () => {
      for (let i = 0; i < lanes; i++)
        when(lanes === 1 ? constant(1, 1) : lane.eq(i), () => data.setBits(64 * i, from.payload));
      left.set(left.sub(1));
      lane.set(lane.add(1));
      when(left.eq(1).or(lanes === 1 ? constant(1, 1) : lane.eq(lanes - 1)), () => full.set(1));
    });
    when(begin.en, () => {
      left.set(begin.words.resize(countBits));
      lane.set(0);
    });
    return { beats: out, busy: node(left.any().or(full), { name: "busy" }) };
  });
}
