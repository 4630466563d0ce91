import {
  assertAlways,
  bit,
  type Bit,
  bitsFor,
  connect,
  constant,
  decode,
  fromBits,
  input,
  instance,
  module,
  mux,
  node,
  onehotMux,
  output,
  ram,
  reg,
  repeat,
  sink,
  source,
  stream,
  struct,
  uint,
  type UInt,
  vec,
  when,
} from "../../../../hdl-dsl/index.ts";
import { earlyQueue, lateCount } from "../../../shared/stream/index.ts";
import { classBits, FrameBeat, queueClasses, QueueHead } from "../inside/index.ts";
import { BeatPool } from "./beat-pool.ts";
import { ClassLists } from "./class-lists.ts";
import { FrameDropper, FrameReader } from "./reader.ts";
import {
  beatIndexBits,
  classBeats,
  Decided,
  frameBeatBits,
  judgedFrames,
  mostBeats,
  type QueueParameters,
  Stored,
} from "./records.ts";
import { BeatWriter, withLastBits } from "./writer.ts";

const classes = Array.from({ length: queueClasses }, (_, c) => c);

/** Beats of a class that come or leave; `is`: of this one. */
interface Beats {
  readonly is: Bit;
  readonly beats: UInt;
}
/** What a class may still have of the buffer, and whether its senders must pause. */
function account(p: QueueParameters, c: number, came: Beats, left: Beats) {
  const limit = classBeats(p)[c] ?? 0,
    bits = bitsFor(limit);
  const rest = reg(uint(bits), { init: limit, name: `rest_${c}` }),
    full = reg(bit, { init: 0, name: `full_${c}` }),
    of = ({ is, beats }: Beats): UInt => mux(is, beats.resize(bits), constant(0, bits));
  // Whether a frame comes is known late: so what is left without it is worked out in the cycle behind.
  const now = node(rest.sub(of(came)), { name: `now_${c}` });
  rest.set(now.add(of(left)));
  assertAlways(now.le(limit), `class ${c} has no more than its limit`);
  when(now.le(limit - p.pauseAt), () => full.set(1)).elseWhen(now.gt(limit - p.resumeAt), () => full.set(0));
  // What came counts from the next cycle on; what left, a cycle later. A compare is less deep than a sum: so the frame
  // that has just come is in what the next one needs.
  return {
    full,
    fits: (beats: UInt, withLast: UInt) => rest.ge(mux(came.is, withLast, beats.zext(withLast.width)).resize(bits)),
  };
}

/** The accounts of all classes, and whether the frame that is decided has room in its own. */
function accountsOf(
  p: QueueParameters,
  asked: {
    readonly decided: { readonly valid: Bit };
    readonly keeps: Bit;
    /** Its class, its beats, and those with the frame before it. */
    readonly whose: UInt;
    readonly at: { readonly beats: UInt };
    readonly withLast: UInt;
  },
  out: { readonly valid: Bit; readonly class: UInt; readonly beats: UInt },
) {
  const { decided, keeps, whose, at, withLast } = asked;
  const came = reg(struct({ class: uint(queueClasses), beats: uint(frameBeatBits(p)) }), {
    init: { class: 0 },
    name: "came",
  });
  came.set({ class: whose.and(repeat(keeps, queueClasses)), beats: at.beats });
  const accounts = classes.map(c =>
    account(
      p,
      c,
      { is: came.class.bit(c), beats: came.beats },
      { is: out.valid.and(out.class.bit(c)), beats: out.beats },
    ),
  );
  const fits = onehotMux(
    classes.map(c => whose.bit(c)),
    accounts.map(a => a.fits(at.beats, withLast)),
  );
  assertAlways(
    came.class
      .any()
      .and(decided.valid)
      .not()
      .or(withLast.eq(came.beats.zext(withLastBits(p)).add(at.beats.zext(withLastBits(p))))),
    "the frame before the one that is decided has just come",
  );
  return { accounts, fits };
}

/**
 * The class queues of a port (docs/supernic/port.md; design: supernic.md, section 3). Beats are written while their
 * frame is judged; `decided` comes behind a frame's last beat, in the order of frames. `keep` in the same cycle says
 * whether it is kept, which it may be when there is `room`. Frames of a class leave in their order, by `takeMerge` and
 * `takeSwitch`, one at a time.
 *
 * Latency: 3 cycles from `decided` to `heads`; 1 from a take to the first beat. Initiation interval: a beat a cycle in
 * and out; a head a cycle of one class. Full: `beat` is always taken; a frame for which its class has no room has
 * `room` 0. Each class has beats of its own. `full` rises when a class has `pauseAt` beats, and falls below
 * `resumeAt`. Reset: all is empty.
 */
export const ClassQueues = module(
  "ClassQueues",
  (p: QueueParameters) => ({
    beat: input(struct({ valid: bit, data: uint(512), first: bit, last: bit })),
    decided: input(Decided(p)),
    room: output(bit),
    keep: input(bit),
    heads: output(vec(QueueHead(p), queueClasses)),
    takeMerge: sink(uint(classBits)),
    takeSwitch: sink(uint(classBits)),
    toMerge: source(FrameBeat),
    toSwitch: source(FrameBeat),
    full: output(uint(queueClasses)),
    /** Frames in the queues. */
    waiting: output(uint(beatIndexBits(p) + 1)),
    /** Beats that are free, a cycle late. */
    free: output(uint(beatIndexBits(p) + 1)),
  }),
  (io, p) => {
    const pool = instance("pool", BeatPool(p)),
      writer = instance("writer", BeatWriter(p)),
      lists = instance("lists", ClassLists(p)),
      reader = instance("reader", FrameReader(p)),
      dropper = instance("dropper", FrameDropper(p));
    const { beat, decided } = io;

    // The buffer: a beat, and the place of the one behind it. Who drops frames has the links once more.
    const index = uint(beatIndexBits(p)),
      Word = struct({ data: uint(512), next: index });
    const words = ram(Word, { depth: p.beats, collision: "undefined", style: "ultra", name: "words" }),
      links = ram(index, { depth: p.beats, collision: "undefined", style: "block", name: "links" });
    writer.beat.set({ valid: beat.valid, first: beat.first, last: beat.last });
    connect(pool.offer, writer.offer);
    const { en, at: place, next } = writer.write;
    words.write(en, place, { data: beat.data, next });
    links.write(en, place, next);
    const word = words.readSync(reader.read.at, { en: reader.read.en, name: "word" });
    reader.data.set(word.data);
    reader.next.set(word.next);
    dropper.next.set(links.readSync(dropper.read.at, { en: dropper.read.en, name: "link" }));
    pool.given.set(reader.free);
    pool.dropped.set(dropper.free);
    // The writer's place is free until a beat comes; that it has one counts when the pool's count knows of it.
    const held = reg(bit, { init: 0, name: "place_is_held" });
    held.set(writer.holds);
    io.free.set(pool.free.add(held.zext(pool.free.width)));

    // A frame whose outcome is known: into its queue, or dropped.
    const at = writer.written.payload,
      whose = decode(decided.class, queueClasses),
      keeps = node(decided.valid.and(io.keep), { name: "keeps" });
    writer.written.ready.set(decided.valid);
    assertAlways(decided.valid.not().or(writer.written.valid), "an outcome is that of a frame");
    lists.push.set({ valid: keeps, class: decided.class, frame: { at, facts: decided.facts } });
    const drops = stream(Stored(p), { name: "drops" });
    drops.valid.set(decided.valid.andNot(io.keep));
    drops.payload.set(at);
    // Behind a frame of the longest kind as many may wait as it has beats.
    const mostDropped = 2 ** Math.ceil(Math.log2(mostBeats(p) + judgedFrames));
    connect(earlyQueue(drops, mostDropped, "to_drop"), dropper.frame);
    assertAlways(drops.valid.not().or(drops.ready), "frames are dropped as fast as they come");

    // Whose turn it is to be given out: of two that ask, not the one that had the last. It does not wait for the
    // reader, whose ready comes late, and stays until the reader takes it.
    const { takeMerge, takeSwitch } = io,
      lastSecond = reg(bit, { init: 1, name: "last_second" }),
      waits = reg(bit, { init: 0, name: "take_waits" }),
      waitsSecond = reg(bit, { name: "take_waits_second" }),
      now = takeSwitch.valid.andNot(takeMerge.valid.and(lastSecond)),
      second = node(mux(waits, waitsSecond, now), { name: "is_second" }),
      taken = node(decode(mux(second, takeSwitch.payload, takeMerge.payload), queueClasses), { name: "taken" });
    waits.set(reader.take.valid.andNot(reader.take.ready));
    waitsSecond.set(second);
    reader.take.valid.set(takeMerge.valid.or(takeSwitch.valid));
    reader.take.payload.set({
      at: onehotMux(
        classes.map(c => taken.bit(c)),
        classes.map(c => lists.heads.at(c).frame.at),
      ),
      second,
    });
    takeMerge.ready.set(reader.take.ready.andNot(second));
    takeSwitch.ready.set(reader.take.ready.and(second));
    const goes = node(reader.take.ready.and(reader.take.valid), { name: "goes" });
    when(goes, () => lastSecond.set(second));
    lists.pop.set(mux(goes, taken, constant(0, queueClasses)));
    connect(reader.first, io.toMerge);
    connect(reader.second, io.toSwitch);

    // A class has what is in its queue or under way out of it.
    const out = reg(struct({ valid: bit, class: uint(queueClasses), beats: uint(frameBeatBits(p)) }), {
      init: { valid: 0 },
      name: "out",
    });
    out.set({ valid: goes, class: taken, beats: reader.take.payload.at.beats });
    const { accounts, fits } = accountsOf(p, { decided, keeps, whose, at, withLast: writer.withLast }, out);
    io.room.set(fits);
    assertAlways(keeps.not().or(io.room), "no frame is kept without room");
    io.full.set(fromBits(accounts.map(a => a.full)).is(queueClasses));
    const waiting = reg(uint(beatIndexBits(p) + 1), { init: 0, name: "waiting_q" });
    waiting.set(lateCount(waiting, keeps, goes));
    io.waiting.set(waiting);
    classes.forEach(c => {
      const { valid, frame } = lists.heads.at(c);
      io.heads.at(c).set({ valid, facts: frame.facts });
    });
  },
  {
    nameOf: p =>
      `ClassQueues_p${p.ports}_b${p.beats}_s${p.softwareBeats}_x${p.pauseAt}_o${p.resumeAt}_f${p.frameBytes}`,
  },
);
