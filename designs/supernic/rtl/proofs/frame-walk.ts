/**
 * A port's buffer between the lists of free beats and the queues of classes: frames are written beat by beat, wait, and
 * are given out or dropped by whoever walks their links. One beat is marked, whichever it is.
 */
import {
  assertAlways,
  assumeAlways,
  bit,
  type Bit,
  constant,
  cover,
  input,
  instance,
  module,
  mux,
  node,
  orTree,
  output,
  past,
  type Proof,
  ram,
  reg,
  struct,
  uint,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";
import { BeatWriter, FrameDropper, FrameReader } from "../port/index.ts";

/** Frames of 3 beats at most, in a buffer of 4. */
const sizes = { ports: 2, frameBytes: 102, beats: 4, softwareBeats: 1, pauseAt: 1, resumeAt: 1 } as const,
  BEATS = sizes.beats,
  LONGEST = 3,
  PLACE = uint(2),
  COUNT = uint(3);

const harness = module(
  "FrameWalkProof",
  () => ({
    beat: input(struct({ valid: bit, last: bit, marked: bit })),
    /** A free place, when there is one. */
    free: input(struct({ valid: bit, place: PLACE })),
    /** What becomes of the next whole frame, if it is decided now. */
    decides: input(bit),
    drops: input(bit),
    ready: input(bit),
    given: output(struct({ valid: bit, marked: bit, last: bit })),
  }),
  io => {
    const writer = instance("writer", BeatWriter(sizes)),
      reader = instance("reader", FrameReader(sizes)),
      dropper = instance("dropper", FrameDropper(sizes));
    const words = ram(struct({ data: bit, next: PLACE }), { depth: BEATS, collision: "undefined", name: "words" }),
      links = ram(PLACE, { depth: BEATS, collision: "undefined", name: "links" });
    const inFrame = reg(uint(2), { init: 0, name: "model_in_frame" }),
      { beat, free, decides, drops } = io;
    const comes = node(beat.valid.and(writer.holds).and(free.valid), { name: "comes" }),
      first = node(inFrame.any().not(), { name: "first" });
    when(comes, () => inFrame.set(mux(beat.last, constant(0, 2), inFrame.add(1))));
    assumeAlways(
      comes
        .not()
        .or(beat.last)
        .or(inFrame.lt(LONGEST - 1)),
      "a frame has 3 beats at most",
    );
    writer.beat.set({ valid: comes, first, last: beat.last });
    writer.offer.valid.set(free.valid);
    writer.offer.payload.set(free.place);
    const { en, at, next } = writer.write;
    words.write(en, at, { data: beat.marked, next: next.is(2) });
    links.write(en, at, next.is(2));
    const word = words.readSync(reader.read.at, { en: reader.read.en, name: "word" });
    reader.data.set(word.data.zext(512));
    reader.next.set(word.next);
    dropper.next.set(links.readSync(dropper.read.at, { en: dropper.read.en, name: "link" }));

    // Each frame goes one way when it is decided.
    const keeps = node(decides.andNot(drops), { name: "keeps" }),
      loses = node(decides.and(drops), { name: "loses" });
    reader.take.valid.set(writer.written.valid.and(keeps));
    reader.take.payload.set({ at: writer.written.payload, second: 0 });
    dropper.frame.valid.set(writer.written.valid.and(loses));
    dropper.frame.payload.set(writer.written.payload);
    const kept = node(reader.take.fire, { name: "kept" }),
      lost = node(dropper.frame.fire, { name: "lost" });
    writer.written.ready.set(keeps.and(reader.take.ready).or(loses.and(dropper.frame.ready)));
    reader.first.ready.set(io.ready);
    reader.second.ready.set(0);
    const out = reader.first,
      isMarked = out.payload.data.bit(0);
    io.given.set({ valid: out.valid, marked: isMarked, last: out.payload.last });

    // Places: out when they are taken, until a walker frees them.
    const one = (name: string, en: Bit, place: UInt): UInt =>
        node(mux(en, constant(1, BEATS).shl(place), constant(0, BEATS)).is(BEATS), { name: `model_${name}` }),
      takenNow = one("taken", writer.offer.fire, free.place),
      byReader = one("freed_given", reader.free.valid, reader.free.beat),
      byDropper = one("freed_dropped", dropper.free.valid, dropper.free.beat),
      live = reg(uint(BEATS), { init: 0, name: "model_live" });
    live.set(live.or(takenNow).andNot(byReader.or(byDropper)));
    assumeAlways(free.valid.not().or(live.shr(free.place).bit(0).not()), "what is offered is free");
    const waited = past(free.valid.andNot(writer.offer.ready), 1, { name: "model_offer_waited" });
    assumeAlways(waited.not().or(free.valid.and(free.place.eq(past(free.place, 1)))), "an offer stays");
    assertAlways(byReader.or(byDropper).andNot(live).any().not(), "a place that is freed was taken, and not freed yet");
    assertAlways(byReader.and(byDropper).any().not(), "a place is freed by one");

    // The marked beat: how many beats and whole frames are in front of it, and whether its own frame is decided.
    const marks = node(comes.and(beat.marked), { name: "model_marks" }),
      seen = reg(bit, { init: 0, name: "model_seen" }),
      inside = reg(bit, { init: 0, name: "model_inside" }),
      ahead = reg(COUNT, { init: 0, name: "model_ahead" }),
      beatsIn = reg(COUNT, { init: 0, name: "model_beats_in" }),
      framesIn = reg(COUNT, { init: 0, name: "model_frames_in" }),
      framesAhead = reg(COUNT, { init: 0, name: "model_frames_ahead" }),
      decided = reg(bit, { init: 0, name: "model_decided" });
    assumeAlways(marks.not().or(seen.not()), "one beat is marked");
    const gone = node(out.fire, { name: "model_gone" }),
      lostBeats = mux(lost, writer.written.payload.beats.zext(3), constant(0, 3)),
      leaves = node(gone.zext(3).add(lostBeats), { name: "model_leaves" }),
      choice = node(kept.or(lost), { name: "model_choice" });
    when(marks, () => seen.set(1));
    beatsIn.set(beatsIn.add(comes.zext(3)).sub(leaves));
    framesIn.set(framesIn.add(comes.and(beat.last).zext(3)).sub(choice.zext(3)));
    const own = node(inside.andNot(decided).andNot(framesAhead.any()).and(choice), { name: "model_own" });
    assumeAlways(own.and(lost).not(), "the marked beat's frame is kept");
    when(marks, () => {
      inside.set(1);
      ahead.set(beatsIn.sub(leaves));
      framesAhead.set(framesIn.sub(choice.zext(3)));
    }).elseWhen(inside, () => {
      ahead.set(ahead.sub(gone.zext(3)).sub(mux(decided, constant(0, 3), lostBeats)));
      when(framesAhead.any().and(choice), () => framesAhead.set(framesAhead.sub(1)));
      when(gone.and(isMarked), () => inside.set(0));
    });
    when(own, () => decided.set(1));
    const turn = node(inside.and(gone).and(ahead.any().not()), { name: "model_turn" });
    assertAlways(gone.and(isMarked).eq(turn), "the marked beat is given once, behind all that came before it");

    // Nothing is lost: what is live is what is inside, the writer's place, and what is being dropped.
    const all = [0, 1, 2, 3].map(i => live.bit(i).zext(3)).reduce((a, b) => a.add(b)),
      dropping = reg(COUNT, { init: 0, name: "model_dropping" });
    dropping.set(dropping.add(lostBeats).sub(dropper.free.valid.zext(3)));
    assertAlways(
      all.eq(beatsIn.add(dropping).add(writer.holds.zext(3))),
      "taken places are those of beats inside, of beats that are dropped, and the next one",
    );
    cover(gone.and(isMarked).and(out.payload.last), "the marked beat is a frame's last");
    cover(orTree([reader.free.valid.and(dropper.free.valid)]), "both walkers free a place");
  },
);

export const frameWalkProof: Proof = {
  module: `frames in a port's buffer, ${BEATS} beats`,
  long: true,
  harness: harness(),
  faults: [
    { what: "a link is to the beat itself", from: "write_next = offer_payload", to: "write_next = here" },
    { what: "a stalled beat is freed again", from: /free_valid = reads & given/, to: "free_valid = reads" },
    {
      what: "a place is taken without a beat",
      from: "offer_ready = beat_valid | ~holds_place",
      to: "offer_ready = 1'b1",
    },
  ],
};
