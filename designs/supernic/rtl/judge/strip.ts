/** Takes shims and tag off a frame: the words behind the MACs move down, a beat a cycle. */
import {
  bit,
  type Bit,
  cat,
  constant,
  encodeOnehot,
  mux,
  node,
  reg,
  repeat,
  type StreamIn,
  struct,
  uint,
  type UInt,
  type Val,
  when,
} from "../../../../hdl-dsl/index.ts";
import { type AxisBeat, keptBytes } from "../../../shared/frame/index.ts";
import { headerOffsets } from "../../../shared/wire/index.ts";
import { judgeBeatBytes, judgedBeatBits, judgedBeats, type JudgeParameters } from "./records.ts";
import { byPlace, findShims, ownBytes, ShimPlaces, shimPlaces, wordsOf } from "./shims.ts";

const bits = judgeBeatBytes * 8,
  wordBits = 32,
  words = bits / wordBits,
  macWords = 3,
  /** Words that shims and tag take at most. */
  mostWords = 5;

/** What was taken off a frame, as bytes in wire order. */
export const TakenOff = struct({
  linked: bit,
  tagged: bit,
  shimmed: bit,
  link: uint(ownBytes.link * 8),
  tag: uint(ownBytes.tag * 8),
  snic: uint(ownBytes.snic * 8),
});
/** A beat without them. `count`: its bytes, of the last beat of a frame that is not cut short. */
export interface Stripped {
  readonly valid: Bit;
  readonly data: UInt;
  readonly count: UInt<7>;
  readonly first: Bit;
  readonly last: Bit;
  readonly bad: Bit;
  /** The frame ends before the end of its shims and its EtherType. */
  readonly cut: Bit;
  /** Number of the beat. */
  readonly index: UInt;
  readonly off: Val<typeof TakenOff>;
}

/** Words `words` down by 0 to 5: two levels of multiplexers and one to choose. */
function moved(by: UInt<3>, choices: readonly UInt[]): UInt {
  const at = (i: number): UInt => choices[i] ?? constant(0, wordBits);
  const pair = (i: number): UInt => mux(by.bit(0), at(i + 1), at(i));
  const low = mux(by.bit(1), pair(2), pair(0));
  return mux(by.bit(2), pair(4), low);
}
const wordOf = (data: UInt, i: number): UInt => data.bits(i * wordBits, wordBits);

/** Bytes of a beat that count, in words. */
function countOf(keep: UInt): UInt<7> {
  const edge = node(keep.andNot(keep.shr(1)), { name: "rx_edge" });
  return encodeOnehot(edge).zext(7).add(1);
}
/** Beats as they come, a cycle later: bytes that do not count are 0. */
function takenBeats(rx: StreamIn<ReturnType<typeof AxisBeat>>, room: Bit) {
  const inFrame = reg(bit, { init: 0, name: "in_frame" });
  const valid = reg(bit, { init: 0, name: "taken_valid" }),
    data = keptBytes("taken_data", rx.payload.data, rx.payload.keep, rx.fire),
    places = reg(ShimPlaces, { name: "taken_places" }),
    count = reg(uint(7), { name: "taken_count" }),
    first = reg(bit, { name: "taken_first" }),
    last = reg(bit, { name: "taken_last" }),
    bad = reg(bit, { name: "taken_bad" });
  rx.ready.set(valid.not().or(room));
  when(rx.ready, () => valid.set(rx.valid));
  when(rx.fire, () => {
    inFrame.set(rx.payload.last.not());
    // Where the frame is cut short there is no shim: its end is asked for.
    places.set(shimPlaces(rx.payload.data, rx.payload.keep));
    count.set(countOf(rx.payload.keep));
    first.set(inFrame.not());
    last.set(rx.payload.last);
    bad.set(rx.payload.user);
  });
  return { valid, moves: node(valid.and(room), { name: "taken_moves" }), data, places, count, first, last, bad };
}

/**
 * Three registers: a beat as it came, the one before it, and what both make. A last beat whose bytes all go into the
 * one before it has none of its own. `room`: the stripped beat is taken.
 */
export function strip(p: JudgeParameters, rx: StreamIn<ReturnType<typeof AxisBeat>>, room: Bit): Stripped {
  const heldValid = reg(bit, { init: 0, name: "held_valid" }),
    held = reg(uint(bits), { name: "held_data" }),
    heldCount = reg(uint(7), { name: "held_count" }),
    heldFirst = reg(bit, { name: "held_first" }),
    heldLast = reg(bit, { name: "held_last" }),
    heldBad = reg(bit, { name: "held_bad" }),
    heldBy = reg(uint(3), { name: "held_by" }),
    heldOff = reg(TakenOff, { name: "held_off" });
  const valid = reg(bit, { init: 0, name: "stripped_valid" });
  const free = node(valid.not().or(room), { name: "stripped_free" });

  // The held beat goes when it is the last, or when the one behind it has come.
  const next = takenBeats(rx, node(heldValid.not().or(free), { name: "held_free" }));
  const goes = node(heldValid.and(free).and(heldLast.or(next.valid)), { name: "held_goes" });
  const taken = node(heldBy.zext(7).shl(2), { name: "held_by_bytes" });
  const joins = node(next.last.and(next.count.le(taken)), { name: "next_joins" });
  const absorbed = node(goes.andNot(heldLast).and(joins), { name: "next_absorbed" });

  const found = findShims(next.places);
  when(heldValid.not().or(goes), () => heldValid.set(next.valid.andNot(absorbed)));
  when(next.moves, () => {
    held.set(next.data);
    heldCount.set(next.count);
    heldFirst.set(next.first);
    heldLast.set(next.last);
    heldBad.set(next.bad);
    when(next.first, () => {
      heldBy.set(wordsOf(found));
      heldOff.set({ ...found, ...cutOff(next.data, found) });
    });
  });

  // Of the beat behind only its own frame's.
  const behind = node(next.data.bits(0, mostWords * wordBits).and(repeat(heldLast.not(), mostWords * wordBits)), {
    name: "next_words",
  });
  const both = cat(behind, held);
  const data = cat(
    ...Array.from({ length: words }, (_, w): UInt => {
      const down = moved(
        heldBy,
        Array.from({ length: mostWords + 1 }, (_, k) => wordOf(both, w + k)),
      );
      return w < macWords ? mux(heldFirst, wordOf(held, w), down) : down;
    }).reverse(),
  );
  const ends = node(heldLast.or(joins), { name: "held_ends" });
  const index = reg(uint(judgedBeatBits(p)), { init: 0, name: "stripped_index" }),
    number = reg(uint(judgedBeatBits(p)), { init: 0, name: "beat_number" }),
    over = node(number.eq(judgedBeats(p)), { name: "beat_over" });
  const own = { data: reg(uint(bits), { name: "stripped_data" }), count: reg(uint(7), { name: "stripped_count" }) },
    first = reg(bit, { name: "stripped_first" }),
    last = reg(bit, { name: "stripped_last" }),
    bad = reg(bit, { name: "stripped_bad" }),
    cut = reg(bit, { name: "stripped_cut" }),
    off = reg(TakenOff, { name: "stripped_off" });
  // Of a frame that is too long beats are left out until its last.
  when(free, () => valid.set(goes.and(ends.or(over.not()))));
  when(goes, () => {
    number.set(mux(ends, constant(0, number.width), mux(over, number, number.add(1))).is(number.width));
    index.set(number);
    own.data.set(data);
    own.count.set(mux(heldLast, heldCount, next.count.add(judgeBeatBytes)).sub(taken));
    first.set(heldFirst);
    last.set(ends);
    bad.set(mux(heldLast, heldBad, next.bad));
    cut.set(heldFirst.and(heldLast).and(heldCount.lt(taken.add(headerOffsets.network))));
    off.set(heldOff);
  });
  return { valid, ...own, first, last, bad, cut, index, off };
}

/** The bytes of shims and tag, wherever they stand; of one that is not there, whatever stands in its place. */
function cutOff(frame: UInt, found: Parameters<typeof byPlace>[0]) {
  const from = (at: number, bytes: number): UInt => frame.bits((headerOffsets.network + at) * 8, bytes * 8);
  const tag = mux(found.linked, from(8, ownBytes.tag), from(0, ownBytes.tag)).is(ownBytes.tag * 8);
  return {
    link: from(0, ownBytes.link).is(ownBytes.link * 8),
    tag,
    snic: byPlace(found, at => from(at, ownBytes.snic)).is(ownBytes.snic * 8),
  };
}
