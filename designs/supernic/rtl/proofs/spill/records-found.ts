/**
 * Of what the writer has written, and the memory gives back without an error, each record is found: one whole frame for
 * each, with all of its beats in their order and no other, none lost and none twice. Beats come as `Spill: a ring's
 * room` shows that they are written: a word in front of each chunk, and records without a gap.
 */
import {
  assertAlways,
  assumeAlways,
  bit,
  constant,
  cover,
  input,
  module,
  mux,
  node,
  output,
  type Proof,
  reg,
  uint,
  unpack,
  when,
  widthOf,
} from "../../../../../hdl-dsl/index.ts";
import { frameBeats, parse, type Parsed, ringBeatBits, type SpillParameters, SpillRecord } from "../../spill/index.ts";

const p: SpillParameters = {
    ...{ ports: 2, users: 2, frameBytes: 320 },
    ...{ rings: 1, ringBytes: 16_384, memoryBytes: 65_536 },
  },
  BEATS = 3,
  KEPT = 6;

const harness = module(
  "RecordsFoundProof",
  () => ({
    comes: input(bit),
    data: input(uint(512)),
    whole: output(bit),
    lost: output(bit),
    word: output(uint(512)),
    at: input(uint(KEPT)),
  }),
  io => {
    const number = (name: string, bits: number) => reg(uint(bits), { init: 0, name }),
      flag = (name: string) => reg(bit, { init: 0, name }),
      ring = {
        ...{ read: number("read_q", ringBeatBits(p) + 1), left: number("left_q", BEATS), skip: number("skip_q", 6) },
        ...{ put: number("put_q", KEPT), kept: number("kept_q", KEPT), lost: flag("lost_q"), bad: flag("bad_q") },
      },
      unread = { set: () => undefined };
    // The record of this beat, as it would begin here: its number is due.
    const record = unpack(SpillRecord(p), io.data.trunc(widthOf(SpillRecord(p)))),
      left = number("model_left", BEATS),
      beats = number("model_beats", KEPT),
      begins = number("model_begins", KEPT),
      isWord = node(ring.read.trunc(6).any().not(), { name: "model_is_word" }),
      isHead = node(isWord.not().andNot(left.any()), { name: "model_is_head" }),
      isLast = node(io.comes.andNot(isWord).and(left.eq(1)), { name: "model_is_last" });
    assumeAlways(isHead.not().or(record.beats.any().and(record.beats.le(frameBeats(p)))), "a record has beats");
    const beat = {
      valid: io.comes,
      ring: constant(1, 1),
      data: io.data,
      failed: constant(0, 1),
      good: isHead,
      ahead: constant(0, 8),
    };
    const found = parse(p, [{ ...ring, due: unread } as unknown as Parsed], beat); // As `Beat`.
    io.whole.set(found.whole.bit(0));
    io.lost.set(found.lost.any());
    io.word.set(found.word(constant(1, 1), io.at, constant(1, 1)));
    when(io.comes.andNot(isWord), () => {
      left.set(mux(isHead, record.beats.resize(BEATS), left.sub(1)));
      beats.set(beats.add(1));
      when(isHead, () => begins.set(beats));
    });

    assertAlways(found.whole.bit(0).eq(isLast), "each record is one whole frame, when its last beat comes");
    assertAlways(found.lost.any().not(), "none is lost");
    assertAlways(ring.put.eq(beats), "all beats of records are kept in their order, and no other");
    assertAlways(left.any().or(ring.kept.eq(beats)), "behind a record all of it is the merge's");
    assertAlways(left.any().not().or(ring.kept.eq(begins)), "and nothing of one that is not whole");
    assertAlways(ring.lost.or(ring.skip.any()).not(), "inside: nothing is jumped");
    assertAlways(left.any().not().or(ring.bad.not()), "inside: nothing is wrong with a record");
    assertAlways(ring.left.eq(left), "inside: beats of the record to come");
    cover(isLast.and(begins.any()), "a second record is whole");
  },
);

export const recordsFoundProof: Proof = {
  module: "Spill: each record is found, frames of 5",
  harness: harness(),
  own: true,
  by: "yosys sat",
  induction: 2,
  reach: 20,
  faults: [
    { what: "the word of a chunk is a beat of its record", from: /is_chunk = [^;]*;/, to: "is_chunk = 1'b0;" },
    { what: "a frame is whole a beat early", from: /is_last = [^;]*;/, to: "is_last = is_beat & (left_q == 3'd2);" },
    {
      what: "a record's first beat is not kept",
      from: "put_q <= put_q + 6'd1;",
      to: "put_q <= put_q + {5'd0, ~is_record};",
    },
    { what: "the merge has frames before they are whole", from: /kept_q <= [^;]*;/, to: "kept_q <= put_q;" },
  ],
};
