import {
  arbiter,
  bit,
  type Bit,
  cat,
  constant,
  encodeOnehot,
  input,
  module,
  mux,
  node,
  output,
  priority,
  ram,
  reg,
  repeat,
  sink,
  source,
  uint,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";
import { beatBytes, TxBeat } from "../inside/index.ts";
import { Committed, longestBeats, placeBits, RingBeat, TxRingEvents, type TxRingParameters } from "./records.ts";

/** Beats that may wait for the line besides a longest frame, so that it never waits for the lanes. */
const spareBeats = 16;
/** `room` is a cycle old: a beat may have come since, and a frame may have begun. */
const lateBeats = 2;

/** Beats that wait for the line at most, when both lanes begin all that they may: a pause takes effect behind them. */
export const mostWaiting = (p: TxRingParameters): number => 3 * longestBeats(p) + spareBeats + lateBeats;

/**
 * The ring that frames leave from (docs/supernic/link.md). The lanes' frames are written one at a time, in turns; a
 * frame is there when its last beat is, and its beats then stand on `out`, one after the other, a beat a cycle.
 * `goesBack` (for a cycle, with `from`) makes them begin again at a place. What lies before `tail` is free. Dropped at
 * their end: frames that are longer than the longest, on a reliable port those that are marked bad, and all while
 * `drops`. `clear` drops what is there. Latency: 2 cycles from a frame's last beat to its first on `out`. Initiation
 * interval: a beat a cycle each way. Full: the lanes wait.
 *
 * `room`, a cycle old: in a cycle in which it is 1 a lane may begin, or promise itself to begin, frames; those that it
 * has promised and not begun have no more beats together than one longest frame. Then no lane ever waits for room, only
 * for the other lane's frame to end; and no more than `mostWaiting` beats wait for the line that were not sent before.
 */
export const TxRing = module(
  "TxRing",
  (p: TxRingParameters) => {
    const place = uint(placeBits(p));
    return {
      reliable: input(bit),
      lane0: sink(TxBeat),
      lane1: sink(TxBeat),
      room: output(bit),
      /** There may be one frame more; how many there are. */
      hasPlace: input(bit),
      kept: input(uint(16)),
      tail: input(place),
      goesBack: input(bit),
      from: input(place),
      clear: input(bit),
      drops: input(bit),
      committed: output(Committed({ placeBits: placeBits(p) })),
      /** Behind the last whole frame. */
      wholeEnd: output(place),
      out: source(RingBeat),
      /** Behind the beat on `out`. */
      outEnd: output(place),
      events: output(TxRingEvents),
    };
  },
  (io, p) => {
    const place = uint(placeBits(p)),
      addressBits = placeBits(p) - 1;
    const beats = ram(RingBeat, { depth: p.beats, collision: "undefined", style: "block", name: "beats" });
    const write = reg(place, { init: 0, name: "write_place" }),
      whole = reg(place, { init: 0, name: "whole_place" }),
      read = reg(place, { init: 0, name: "read_place" });

    // In: one lane's frame after the other's. It counts with its last beat, or not at all.
    const lane = arbiter([io.lane0, io.lane1], { name: "lane", last: v => v.last }),
      { data, keep, last, user } = lane.payload;
    const inside = reg(bit, { init: 0, name: "in_frame" }),
      count = reg(uint(Math.ceil(Math.log2(longestBeats(p) + 1))), { init: 0, name: "frame_beats" });
    const full = node(isFull(write, io.tail), { name: "ring_full" }),
      over = node(count.eq(longestBeats(p)), { name: "frame_over" });
    const fits = node(inside.or(io.hasPlace).and(full.not().or(over)), { name: "beat_fits" });
    lane.ready.set(fits);
    const taken = node(lane.fire, { name: "beat_taken" }),
      ends = node(taken.and(last), { name: "frame_ends" });
    const bad = node(user.and(io.reliable), { name: "frame_marked" }),
      drops = node(io.drops.or(io.clear), { name: "frame_lost" }),
      keeps = node(ends.andNot(bad.or(over).or(drops)), { name: "frame_kept" });
    const edge = node(keep.andNot(keep.shr(1)), { name: "last_byte" });
    beats.write(taken.andNot(over), write.trunc(addressBits), {
      data: onlyKept(data, keep),
      last,
      lane: encodeOnehot(edge).is(6),
      bad: user,
      class: lane.payload.class,
    });
    const behind = node(write.add(1), { name: "behind_beat" });
    when(taken, () => {
      inside.set(last.not());
      count.set(priority([last, constant(0, count.width)], [over, count], count.add(1)).is(count.width));
    });
    when(ends.andNot(keeps), () => write.set(whole)).elseWhen(taken.andNot(over), () => write.set(behind));
    when(keeps, () => whole.set(behind));
    io.committed.set({ valid: keeps, end: behind });
    io.wholeEnd.set(whole);

    // Out: the memory's register is the beat that stands there; the next is read when it goes.
    const shown = reg(bit, { init: 0, name: "out_shown" }),
      moves = node(shown.not().or(io.out.ready), { name: "out_moves" }),
      turns = node(io.goesBack.or(io.clear), { name: "out_turns" });
    const reads = node(moves.and(read.ne(whole)), { name: "reads" });
    const word = beats.readSync(read.trunc(addressBits), { en: reads, name: "out_word" });
    when(turns, () => shown.set(0)).elseWhen(moves, () => shown.set(reads));
    read.set(priority([io.clear, whole], [io.goesBack, io.from], [reads, read.add(1)], read));
    io.out.valid.set(shown);
    io.out.payload.set(word);
    io.outEnd.set(read);

    const room = reg(bit, { init: 0, name: "room_q" });
    room.set(roomFor(p, { write, whole, read, inside, tail: io.tail, kept: io.kept }));
    io.room.set(room);
    const events = reg(TxRingEvents, { init: 0, name: "events_q" });
    const dropped = node(ends.and(drops), { name: "drops_frame" }),
      notLost = node(ends.andNot(drops), { name: "ends_kept" });
    events.set({ lost: dropped, long: notLost.and(over), marked: notLost.andNot(over).and(bad) });
    io.events.set(events);
  },
  { nameOf: p => `TxRing_b${p.beats}_f${p.frames}_u${p.frameBytes}` },
);

/** A lane's beat with the bytes that do not count 0: nobody reads what was there before. */
const onlyKept = (data: UInt, keep: UInt): UInt =>
  cat(...Array.from({ length: beatBytes }, (_, i) => data.bits(8 * i, 8).and(repeat(keep.bit(i), 8))).reverse()).is(
    8 * beatBytes,
  );
/** The one has gone round the ring once more than the other. */
function isFull(write: UInt, tail: UInt): Bit {
  const top = write.width - 1;
  return write
    .trunc(top)
    .eq(tail.trunc(top))
    .and(write.bit(top).ne(tail.bit(top)));
}

interface Places {
  readonly write: UInt;
  readonly whole: UInt;
  readonly read: UInt;
  readonly tail: UInt;
  readonly inside: Bit;
  readonly kept: UInt;
}
/** Each lane may begin a longest frame, also when one has just begun; and the line has not much before it. */
function roomFor(p: TxRingParameters, { write, whole, read, inside, tail, kept }: Places): Bit {
  const longest = longestBeats(p);
  const used = node(write.sub(tail), { name: "used_beats" }),
    begun = node(mux(inside, whole.add(longest), whole), { name: "begun_end" }),
    waiting = node(begun.sub(read), { name: "waiting_beats" });
  const space = used.le(p.beats - 3 * longest - lateBeats),
    short = waiting.le(longest + spareBeats),
    places = kept.le(p.frames - 2 * longest - lateBeats);
  return node(space.and(short).and(places), { name: "has_room" });
}
