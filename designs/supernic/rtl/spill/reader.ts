/** Records out of their rings, and what of them is right. Page: docs/supernic/spill.md. */
import {
  assertAlways,
  axi4Address,
  type axi4Read,
  bit,
  type Bit,
  cat,
  constant,
  encodeOnehot,
  enumOf,
  fifo,
  fromBits,
  mux,
  node,
  onehotMux,
  orTree,
  ram,
  reg,
  stream,
  type StreamIn,
  type StreamOut,
  struct,
  uint,
  type UInt,
  unpack,
  type Val,
  when,
  widthOf,
} from "../../../../hdl-dsl/index.ts";
import { fairTurn } from "../../../shared/stream/index.ts";
import {
  burstBeats,
  busOf,
  chunkBits,
  frameBeats,
  keptBeats,
  mostBursts,
  ringBeatBits,
  sequenceBits,
  type SpillParameters,
  SpillRecord,
} from "./records.ts";
import { ofRing, type Ring, ringIs } from "./rings.ts";
import { type Bandwidth, burstOf } from "./writer.ts";

const lenBits = Math.log2(burstBeats) + 1;
/** Chooses a ring; where it is; how long the burst is; it goes when it may; its room is counted anew. */
const ReadState = enumOf("ReadState", ["choose", "place", "length", "goes", "rests"]);

/** A beat that has come. As the first one of a record: it can be used, and so many frames are missing before it. */
const Beat = (p: SpillParameters) =>
  struct({
    valid: bit,
    ring: uint(p.rings),
    data: uint(512),
    failed: bit,
    good: bit,
    ahead: uint(sequenceBits(p)),
  });

export interface Reader extends Bandwidth {
  /** The beats of frames, by ring and place. */
  readonly word: (ring: UInt, place: UInt, en: Bit) => UInt<512>;
  /** Frames that were lost in this cycle. */
  readonly lost: UInt;
  /** A frame of this ring can go to the merge from the next cycle on. */
  readonly whole: UInt;
  /** The ring for which a burst is being asked. */
  readonly busy: UInt;
}

/**
 * Reads rings that drain in bursts of at most 16 beats, for which there is room on chip. A record that comes without an
 * error is a frame for the merge. One with an error is dropped. Behind a first beat that cannot be used the length is
 * not known: then all is dropped up to a chunk that says where a record begins.
 */
export function readRecords(
  p: SpillParameters,
  rings: readonly Ring[],
  closing: UInt,
  bus: {
    readonly ar: StreamOut<ReturnType<typeof axi4Address>>;
    readonly r: StreamIn<ReturnType<typeof axi4Read>>;
  },
  mayGo: Bit,
): Reader {
  const place = uint(ringBeatBits(p) + 1),
    state = reg(ReadState, { init: "choose", name: "read_state" }),
    ring = reg(uint(p.rings), { init: 0, name: "read_ring" }),
    at = reg(place, { name: "read_at" }),
    there = reg(place, { name: "read_there" }),
    len = reg(uint(lenBits), { name: "read_len" }),
    ar = stream(axi4Address(busOf(p)), { name: "read_addresses" }),
    asked = stream(uint(p.rings), { name: "reads_asked" });
  const choose = node(state.is("choose"), { name: "reads_choose" }),
    asks = rings.map((r, j) =>
      node(r.drains.andNot(r.discards).andNot(closing.bit(j)).and(r.burstRoom).and(r.more).and(choose), {
        name: `asks_read_${j}`,
      }),
    ),
    chosen = fairTurn("read", asks);
  when(choose, () => {
    ring.set(fromBits(chosen).is(p.rings));
    when(fromBits(chosen).any(), () => state.set("place"));
  });
  when(state.is("place"), () => {
    at.set(ofRing(ring, rings, r => r.asked));
    there.set(ofRing(ring, rings, r => r.safe.sub(r.asked)));
    state.set("length");
  });
  const room = constant(burstBeats, lenBits).sub(at.trunc(Math.log2(burstBeats)).zext(lenBits)),
    fits = node(there.le(room.zext(place.width)), { name: "read_fits" });
  when(state.is("length"), () => {
    len.set(mux(fits, there.trunc(lenBits), room));
    state.set("goes");
  });
  const wants = node(state.is("goes").and(ar.ready).and(asked.ready), { name: "read_wants" }),
    goes = node(wants.and(mayGo), { name: "read_goes" });
  when(goes, () => state.set("rests"));
  when(state.is("rests"), () => state.set("choose"));
  ar.valid.set(goes);
  ar.payload.set(burstOf(p, ring, at, len));
  asked.valid.set(goes);
  asked.payload.set(ring);
  rings.forEach((r, j) => when(goes.and(ring.bit(j)), () => r.asked.set(r.asked.add(len.resize(place.width)))));
  const addresses = fifo(ar, 2, { name: "ar_queue", style: "distributed" });
  bus.ar.valid.set(addresses.valid);
  bus.ar.payload.set(addresses.payload);
  addresses.ready.set(bus.ar.ready);

  // A beat, behind a register; and what it would be as the first one of a record. Between two of these are two beats
  // and more, so that what the one changes is seen for the other.
  const owners = fifo(asked, mostBursts, { name: "read_queue", style: "distributed" });
  bus.r.ready.set(1);
  owners.ready.set(bus.r.valid.and(bus.r.payload.last));
  assertAlways(bus.r.valid.not().or(owners.valid), "a beat that comes was asked for");
  const Record = SpillRecord(p),
    data = bus.r.payload.data.is(512),
    record = unpack(Record, data.trunc(widthOf(Record))),
    whose = rings.map((_, j) => owners.payload.bit(j)),
    aheads = rings.map((r, j) => node(record.sequence.sub(r.due), { name: `frames_ahead_${j}` })),
    dues = rings.map((r, j) => {
      const a = aheads[j] as UInt;
      return a
        .any()
        .not()
        .or(a.lt(r.behind))
        .and(record.dag.eq(r.dag))
        .and(whose[j] as Bit);
    }),
    sane = node(record.beats.any().and(record.beats.le(frameBeats(p))), { name: "record_is_sane" });
  const beat = reg(Beat(p), { init: { valid: 0 }, name: "beat" });
  beat.set({
    valid: bus.r.valid,
    ring: owners.payload,
    data,
    failed: bus.r.payload.resp.any(),
    good: bus.r.payload.resp.any().not().and(sane).and(orTree(dues)),
    ahead: onehotMux(whose, aheads),
  });
  return { wants, len, busy: ring, ...parse(p, rings, beat) };
}

/** What the parser has of a ring. */
export type Parsed = Pick<Ring, "read" | "lost" | "bad" | "skip" | "left" | "due" | "put" | "kept">;
/** What a beat is, and what it makes of its ring. */
export function parse(
  p: SpillParameters,
  rings: readonly Parsed[],
  beat: Val<ReturnType<typeof Beat>>,
): Pick<Reader, "word" | "lost" | "whole"> {
  const { ring, data, failed, valid, good, ahead } = beat,
    Record = SpillRecord(p),
    words = ram(uint(512), {
      depth: 2 ** Math.ceil(Math.log2(p.rings)) * keptBeats(p),
      collision: "undefined",
      style: "block",
      name: "frames",
    }),
    keptBits = Math.log2(keptBeats(p));
  const indexOf = (which: UInt, at: UInt): UInt =>
    p.rings === 1 ? at.trunc(keptBits) : cat(encodeOnehot(which), at.trunc(keptBits));
  const record = unpack(Record, data.trunc(widthOf(Record)));

  const isFirst = node(
      ofRing(ring, rings, r => r.read.trunc(chunkBits))
        .any()
        .not(),
      { name: "is_chunk" },
    ),
    lost = ringIs(ring, rings, r => r.lost),
    bad = ringIs(ring, rings, r => r.bad),
    skip = ofRing(ring, rings, r => r.skip),
    left = ofRing(ring, rings, r => r.left);
  const starts = node(isFirst.not().andNot(lost).andNot(skip.any()).andNot(left.any()), { name: "is_record" }),
    body = node(isFirst.not().and(left.any()), { name: "is_beat" }),
    last = node(body.and(left.eq(1)), { name: "is_last" }),
    broken = node(bad.or(failed), { name: "frame_is_bad" });
  const finds = node(isFirst.and(lost).andNot(failed).and(data.trunc(6).ne(63)), { name: "finds_record" });
  const dropped = node(valid.and(last).and(broken), { name: "drops_frame" }),
    jumps = node(valid.and(starts).and(good), { name: "record_begins" });
  words.write(
    valid.and(jumps.or(body)),
    indexOf(
      ring,
      ofRing(ring, rings, r => r.put),
    ),
    data,
  );
  rings.forEach((r, j) => {
    const here = node(valid.and(ring.bit(j)), { name: `beat_of_${j}` });
    when(here, () => {
      r.read.set(r.read.add(1));
      when(isFirst, () => {
        when(finds, () => {
          r.lost.set(0);
          r.skip.set(data.trunc(6));
        });
      })
        .elseWhen(starts, () => {
          r.lost.set(good.not());
          r.bad.set(0);
          when(good, () => {
            r.left.set(record.beats);
            r.due.set(record.sequence.add(1));
            r.put.set(r.put.add(1));
          });
        })
        .elseWhen(body, () => {
          r.left.set(left.sub(1));
          r.bad.set(broken);
          r.put.set(mux(last.and(broken), r.kept, r.put.add(1)));
          when(last, () => {
            when(broken.not(), () => r.kept.set(r.put.add(1)));
          });
        })
        .elseWhen(skip.any(), () => r.skip.set(r.skip.sub(1)));
    });
  });
  const one = constant(1, ahead.width);
  return {
    whole: node(mux(valid.and(last).andNot(broken), ring, constant(0, p.rings)).is(p.rings), {
      name: "frame_is_whole",
    }),
    word: (of, at, en) => words.readSync(indexOf(of, at), { en, name: "word" }),
    lost: node(mux(jumps, ahead, mux(dropped, one, constant(0, ahead.width))), { name: "frames_lost" }),
  };
}
