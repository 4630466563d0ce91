/**
 * A ring never has more beats than it has places: so no record is written over one that has not been read. The writer
 * cuts records into bursts, and puts a beat in front of each chunk; a frame is taken when the ring had room for it a
 * cycle ago. Frames come as `divert` takes them: one at a time, each behind a look at the room of the ring and at what
 * waits for the memory; how long that takes is free. Reads and the memory do as they like.
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
  stream,
  struct,
  uint,
  type UInt,
  when,
} from "../../../../../hdl-dsl/index.ts";
import {
  busOf,
  cutRecords,
  frameBeats,
  hasRoom,
  keptBeats,
  ringBeatBits,
  type SpillParameters,
} from "../../spill/index.ts";

/** One ring of four chunks, 256 beats, and frames of 5 beats at most: a record has one more. */
const p: SpillParameters = {
    ...{ ports: 2, users: 2, frameBytes: 320 },
    ...{ rings: 1, ringBytes: 16_384, memoryBytes: 65_536 },
  },
  PLACES = 2 ** ringBeatBits(p),
  CHUNK = 64,
  RECORD = frameBeats(p) + 1,
  /** Beats that may wait when a frame is looked at; and from then on until its beats are here. */
  MOST = keptBeats(p) - RECORD - 1,
  WIDE = 11;
/** A record for the writer: one ring, and 2 beats or more. */
const Record = struct({ ring: uint(1), beats: uint(4) });

const harness = module(
  "RingRoomProof",
  () => ({
    /** A frame is looked at; it is taken, with so many beats. */
    looks: input(bit),
    takes: input(bit),
    beats: input(uint(4)),
    /** A record goes to the writer, of so many beats; one of its beats comes. */
    given: input(bit),
    record: input(uint(4)),
    comes: input(bit),
    mayGo: input(bit),
    /** Where the ring is, and how much it has, in the first cycle. */
    start: input(uint(ringBeatBits(p) + 1)),
    fill: input(uint(ringBeatBits(p) + 1)),
    reads: input(bit),
    wants: output(bit),
    done: output(bit),
    /** There is room for one more burst with those that give its data, take its answer, and have its address. */
    roomy: input(uint(3)),
    address: output(uint(busOf(p).addressBits)),
  }),
  io => {
    const place = uint(ringBeatBits(p) + 1),
      number = (name: string) => reg(place, { init: 0, name }),
      written = number("written"),
      read = number("model_read"),
      room = reg(bit, { init: 0, name: "room" });
    const records = stream(Record, { name: "records" });
    records.valid.set(io.given);
    records.payload.set({ ring: 1, beats: io.record });
    room.set(hasRoom(p, written, read));
    // Every state with nothing on its way is a beginning: so faults are found soon.
    const begun = reg(bit, { init: 0, name: "model_begun" }),
      end = number("model_end");
    begun.set(1);
    // The room of the first cycle is known in the second one.
    const known = reg(bit, { init: 0, name: "model_known" });
    known.set(begun);
    assumeAlways(known.or(io.looks.not()), "a look knows the room");
    when(begun.not(), () => {
      written.set(io.start.add(io.fill));
      end.set(io.start.add(io.fill));
      read.set(io.start);
    });
    assumeAlways(io.fill.le(PLACES - 1), "no more than the ring has");
    assumeAlways(begun.or(io.looks.or(io.takes).or(io.given).or(io.reads).not()), "then all begins");
    const { bursts, asked, aw, writer } = cutRecords(p, [{ written }], records, io.comes, io.mayGo);
    [bursts, asked, aw].forEach((to, i) => to.ready.set(io.roomy.bit(i)));
    io.address.set(aw.payload.addr);
    io.wants.set(writer.wants);
    io.done.set(writer.done.bit(0));

    // Beats of frames that were taken, and that no burst has: of records that wait, and of the writer's.
    const wide = (n: UInt): UInt => n.zext(WIDE),
      waits = reg(uint(7), { init: 0, name: "model_waits" }),
      queued = reg(uint(7), { init: 0, name: "model_queued" }),
      few = reg(bit, { init: 0, name: "model_few" }),
      looked = reg(bit, { init: 0, name: "model_looked" }),
      goes = node(writer.wants.and(io.mayGo), { name: "model_goes" }),
      own = node(mux(goes, writer.at.own, constant(0, writer.at.own.width)), { name: "model_own" }),
      takes = node(mux(io.takes, io.beats, constant(0, 4)), { name: "model_takes" }),
      gives = node(io.given.and(records.ready), { name: "model_gives" });
    assumeAlways(io.looks.not().or(room.and(few).andNot(looked).andNot(io.takes)), "a look finds room");
    const took = reg(bit, { init: 0, name: "model_took" });
    took.set(io.takes);
    assumeAlways(io.looks.and(took).not(), "a look is behind the beats of the frame before");
    assumeAlways(io.takes.not().or(looked), "a frame is taken behind a look");
    assumeAlways(io.beats.ge(2).and(io.beats.le(RECORD)), "a record has so many beats");
    assumeAlways(io.given.not().or(io.record.ge(2).and(io.record.zext(7).le(queued))), "a record was taken");
    assumeAlways(io.reads.not().or(read.ne(written)), "what is read was written");
    few.set(waits.le(MOST));
    when(io.looks, () => looked.set(1));
    when(io.takes, () => looked.set(0));
    waits.set(waits.add(takes.zext(7)).sub(own.resize(7)));
    queued.set(queued.add(takes.zext(7)).sub(mux(gives, io.record, constant(0, 4)).zext(7)));
    when(goes, () => end.set(writer.at.place.add(writer.len.resize(place.width))));
    when(io.reads, () => read.set(read.add(1)));

    // What the ring has, what waits for it, and a word if a chunk begins within that.
    const used = node(written.sub(read), { name: "model_used" }),
      low = node(written.trunc(6), { name: "model_low" }),
      word = node(
        waits.any().and(
          low
            .any()
            .not()
            .or(low.zext(8).add(waits.zext(8)).gt(CHUNK)),
        ),
        { name: "model_word" },
      ),
      all = node(wide(used).add(wide(waits)).add(wide(word)), { name: "model_all" });
    assertAlways(used.le(PLACES), "a ring has no more beats than places: nothing is written over what was not read");
    assertAlways(
      goes.not().or(writer.at.place.eq(end)),
      "a burst begins where the one before ended: each beat has a place of its own",
    );
    assertAlways(written.eq(end), "inside: that is what has been written");
    assertAlways(
      begun.or(writer.at.idle.and(looked.not()).and(waits.any().not())),
      "inside: nothing is there at first",
    );
    assertAlways(all.le(PLACES), "inside: there is room for all that waits");
    assertAlways(looked.not().or(all.le(PLACES - RECORD - 1)), "inside: and for the frame that is looked at");
    assertAlways(looked.not().or(waits.le(MOST)), "inside: few beats wait for the memory then");
    assertAlways(waits.le(MOST + RECORD), "inside: never more");
    const { left, idle, lengths, places, goes: atBus, len } = writer.at,
      ofWriter = node(mux(idle, constant(0, left.width), left), { name: "model_of_writer" }),
      isFirst = node(low.any().not(), { name: "model_is_first" });
    assertAlways(waits.eq(queued.add(ofWriter.resize(7))), "inside: what waits is queued, or the writer's");
    assertAlways(queued.le(waits), "inside: no number has wrapped");
    assertAlways(idle.or(left.any()), "inside: the writer has beats");
    assertAlways(idle.or(writer.at.ring.eq(1)), "inside: of this ring");
    assertAlways(
      lengths.or(atBus).not().or(writer.at.place.eq(written)),
      "inside: a burst begins where the last one ended",
    );
    assertAlways(
      atBus.not().or(len.eq(writer.at.own.add(isFirst.zext(writer.at.own.width)))),
      "inside: a burst has a word where a chunk begins",
    );
    assertAlways(atBus.not().or(writer.at.own.resize(7).le(left.resize(7))), "inside: and no more than its record");
    assertAlways(atBus.not().or(low.zext(8).add(len.zext(8)).le(CHUNK)), "a burst does not leave its chunk");
    cover(goes.and(isFirst), "a chunk begins");
    cover(places.and(used.ge(16)), "a burst is in the ring, and another one begins");
  },
);

export const ringRoomProof: Proof = {
  module: "Spill: a ring's room, 256 beats, frames of 5",
  harness: harness(),
  own: true,
  long: true,
  induction: 3,
  by: "yosys sat",
  reach: 24,
  faults: [
    { what: "room is counted without what waits for the memory", from: "<= 9'd214;", to: "<= 9'd246;" },
    {
      what: "the words of chunks have no place",
      from: /written <= written \+ ([^;]*)write_len/,
      to: "written <= written + $1write_own",
    },
    { what: "a burst does not end where 16 beats do", from: /write_fits = [^;]*;/, to: "write_fits = 1'b1;" },
    {
      what: "the word of a chunk is one of its record's beats",
      from: /write_own <= [^;]*;/,
      to: "write_own <= write_most;",
    },
    { what: "a burst begins where the one before began", from: /write_at <= [^;]*;/, to: "write_at <= write_at;" },
  ],
};
