/** Bytes of a packet's parts, moved to where they belong in its frame. */
import {
  type Bit,
  bit,
  cat,
  constant,
  mux,
  node,
  reg,
  repeat,
  stream,
  uint,
  type UInt,
  type Val,
  when,
} from "../../../../hdl-dsl/index.ts";
import { joinBytes, pickOf } from "../../../shared/frame/index.ts";
import { minimumFrame } from "../../../shared/wire/index.ts";
import { snicEtherType } from "../../wire/index.ts";
import { lanesFrom } from "./lanes.ts";
import type { Part } from "./parts.ts";
import { About, beatBytes, type DeparserParameters, LeavingBeat } from "./records.ts";

const wordBytes = 4,
  words = beatBytes / wordBytes,
  macWords = 3,
  laneBits = Math.log2(beatBytes);

/** Lanes turned upwards by `by`, round the end; a choice of four for two bits of `by`. */
function turned(data: UInt, by: UInt): UInt {
  const w = data.width,
    up = (d: UInt, lanes: number): UInt =>
      lanes === 0 ? d : cat(d.bits(0, w - 8 * lanes), d.bits(w - 8 * lanes, 8 * lanes));
  let out = data;
  for (let k = 0; k < by.width; k += 2) {
    const from = out;
    out = pickOf(
      by.bits(k, 2).is(2),
      [0, 1, 2, 3].map(n => up(from, n * 2 ** k)),
    );
  }
  return out;
}
const bytesOf = (etherType: number): UInt => constant(((etherType & 255) << 8) | (etherType >> 8), 16);

interface Given {
  /** There is a beat, and it is taken when `ready` says so. */
  readonly valid: Bit;
  readonly part: Part;
  readonly data: UInt;
  readonly bad: Bit;
  readonly about: Val<ReturnType<typeof About>>;
  /** Of its packet: as in `Leaving`, in lanes. */
  readonly headTurn: UInt;
  readonly frontBytes: UInt;
}
/**
 * A beat with the number of lanes by which it is turned, in registers; `data` is turned. So no choice of a part stands
 * in front of the turning. Each beat begins where the one before it ended; the first one makes room for what is
 * inserted, a word for a tag and two for a shim.
 */
export function turnedBeat(p: DeparserParameters) {
  const valid = reg(bit, { init: 0, name: "turned_valid" }),
    behindFront = reg(uint(laneBits), { name: "head_behind_front" }),
    data = reg(uint(beatBytes * 8), { name: "part_data" }),
    turnBy = reg(uint(laneBits), { name: "part_turn" }),
    beat = {
      about: reg(About(p), { name: "turned_about" }),
      /** Its first lane; its end, in lanes from the begin of the beat of the frame. */
      from: reg(uint(laneBits), { name: "turned_from" }),
      end: reg(uint(laneBits + 1), { name: "turned_end" }),
      last: reg(bit, { name: "turned_last" }),
      bad: reg(bit, { name: "turned_bad" }),
    };
  return {
    valid,
    ...beat,
    data: node(turned(data, turnBy), { name: "turned_data" }),
    load: (given: Given, { ready, moves }: { readonly ready: Bit; readonly moves: Bit }): void => {
      const { about, part } = given,
        room = node(cat(about.shimmed, about.tagged, constant(0, 2)).zext(laneBits), { name: "insert_room" }),
        at = node(mux(part.first, room, beat.end.trunc(laneBits)), { name: "part_at" }),
        head = node(mux(part.first, given.headTurn, behindFront), { name: "head_turn" }),
        by = node(mux(part.isHead, head, at), { name: "turn_by" });
      behindFront.set(given.headTurn.add(given.frontBytes));
      when(ready, () => valid.set(given.valid)).elseWhen(moves, () => valid.set(0));
      when(ready.and(given.valid), () => {
        data.set(given.data);
        turnBy.set(by);
        beat.from.set(at);
        beat.end.set(at.zext(laneBits + 1).add(part.bytes));
        beat.last.set(part.last);
        beat.bad.set(given.bad.or(beat.bad.andNot(part.first)));
        when(part.first, () => beat.about.set(about));
      });
    },
  };
}

/** Words that are inserted, and how many. */
function insertedWords({ tagged, tag, shimmed, shim }: Val<ReturnType<typeof About>>) {
  const tagWord = joinBytes(bytesOf(snicEtherType.vlan), tag.bits(8, 8), tag.bits(0, 8)),
    shimWords = joinBytes(bytesOf(snicEtherType.snicShim), shim),
    none = constant(0, 8 * wordBytes);
  return {
    words: mux(tagged, cat(shimWords, tagWord), cat(none, shimWords)),
    count: node(cat(shimmed, tagged).is(2), { name: "inserted_words" }),
  };
}
/** The first beat of a frame: the MACs move down to its begin, and what is inserted follows them. */
function withInserted(first: Bit, about: Val<ReturnType<typeof About>>, data: UInt): UInt {
  const width = 8 * wordBytes,
    word = (i: number): UInt => data.bits(i * width, width);
  const inserted = insertedWords(about),
    by = node(mux(first, inserted.count, constant(0, 2)), { name: "macs_down_by" });
  const out = Array.from({ length: words }, (_, w): UInt => {
    if (w < macWords)
      return pickOf(
        by,
        [0, 1, 2, 3].map(n => word(w + n)),
      );
    const k = w - macWords;
    return k < macWords ? mux(by.gt(k), inserted.words.bits(k * width, width), word(w)) : word(w);
  });
  return cat(...out.reverse()).is(beatBytes * 8);
}

/** Where a frame's beat ends, and what that means. */
function endOf({ valid, end, last }: ReturnType<typeof turnedBeat>, spills: Bit, first: Bit) {
  const lane = end.trunc(laneBits),
    full = end.bit(laneBits),
    over = node(full.and(lane.any()), { name: "spills_over" }),
    ends = node(spills.or(last.andNot(over)), { name: "beat_ends" });
  // A frame of one beat that is not whole: what it lacks of the minimum is filled in.
  const short = node(first.and(last).andNot(full), { name: "is_short" }),
    all = node(ends.not().or(full.andNot(spills)), { name: "is_whole" }),
    before = node(lanesFrom(lane).not(), { name: "lanes_before" });
  return {
    over,
    ends,
    gives: node(spills.or(valid.and(full.or(last))), { name: "gives_beat" }),
    full,
    short,
    before,
    keep: before.or(repeat(all, beatBytes)).or(repeat(short, minimumFrame).zext(beatBytes)),
  };
}

/**
 * Beats of frames, put together from what has been turned and what is held of the beats before. What a packet has
 * beyond a beat stays held; behind its last part that makes one beat more, and nothing new is turned until it is given.
 * A frame of less than 60 bytes is filled with zeros.
 */
export function placed(p: DeparserParameters, t: ReturnType<typeof turnedBeat>) {
  const frame = stream(LeavingBeat(p), { name: "placed" }),
    held = Array.from({ length: beatBytes }, (_, i) => reg(uint(8), { name: `held_${i}` })),
    spills = reg(bit, { init: 0, name: "spills" }),
    first = reg(bit, { init: 1, name: "is_first_beat" });
  const { over, ends, gives, full, short, before, keep } = endOf(t, spills, first),
    moves = node(t.valid.and(frame.ready).andNot(spills), { name: "turned_moves" });
  const fresh = node(lanesFrom(t.from), { name: "fresh_lanes" }),
    lane = (i: number): UInt => t.data.bits(8 * i, 8);
  const joined = held.map((h, i) => {
    const isNew = fresh.bit(i);
    when(moves.and(full.or(isNew)), () => h.set(lane(i)));
    const byte = mux(isNew.andNot(spills), lane(i), h);
    return i < minimumFrame ? byte.and(repeat(short.andNot(before.bit(i)).not(), 8)) : byte;
  });
  frame.valid.set(gives);
  frame.payload.set({
    data: withInserted(first, t.about, cat(...joined.reverse()).is(beatBytes * 8)),
    keep,
    last: ends,
    user: ends.and(t.bad),
    to: t.about.to,
  });
  when(frame.fire, () => first.set(ends));
  when(frame.ready, () => spills.set(moves.and(t.last).and(over)));
  return {
    frame,
    moves,
    /** What is turned next may come: nothing of the frame before needs what is known of it. */
    ready: node(
      t.valid
        .not()
        .or(frame.ready.andNot(t.last.and(over)))
        .andNot(spills.andNot(frame.ready)),
      {
        name: "turned_ready",
      },
    ),
  };
}
