/**
 * The frames of a class leave in their order: none is lost, none comes twice, none overtakes. One frame is marked when
 * it comes in; those in front of it are counted, and it must be the one that is given when they are gone. All classes
 * have the same hardware: frames come for two, and the first is watched.
 */
import {
  assertAlways,
  assumeAlways,
  bit,
  bitsFor,
  cat,
  constant,
  cover,
  input,
  instance,
  module,
  mux,
  node,
  output,
  type Proof,
  reg,
  type UInt,
  uint,
  when,
} from "../../../../hdl-dsl/index.ts";
import { classBits, queueClasses } from "../inside/index.ts";
import { MatchOutcome } from "../match/index.ts";
import { classBeats, ClassLists } from "../port/index.ts";

/** A class has one place more than frames at hand: the fewest with which its ring wraps. */
const sizes = { ports: 2, frameBytes: 38, beats: 64, softwareBeats: 16, pauseAt: 2, resumeAt: 1 } as const,
  [PLACES = 0] = classBeats(sizes),
  COUNT = bitsFor(PLACES),
  CLASSES = 2,
  /** Cycles within which a class with frames shows one: into the ring, out of it, and once after the other class. */
  SOON = 5;

/** A frame of which one bit counts. */
const frame = (marked: UInt) => ({
  at: { first: 0, beats: 0 },
  facts: {
    outcome: MatchOutcome.core,
    ports: 0,
    peer: 0,
    uid: 0,
    dag: 0,
    user: 0,
    unordered: marked.is(1),
    length: 0,
    noL4: 0,
    flowHash: 0,
    tagged: 0,
    tag: 0,
    shimmed: 0,
    ttl: 0,
  },
});

const harness = module(
  "ClassListsProof",
  () => ({
    comes: input(bit),
    second: input(bit),
    /** The frame that comes is the one that is watched. */
    marks: input(bit),
    takes: input(uint(CLASSES)),
    heads: output(uint(CLASSES)),
  }),
  io => {
    const dut = instance("dut", ClassLists(sizes));
    const [mine, other] = [0, 1].map(c => {
      const comes = node(io.comes.and(io.second.eq(c)), { name: `model_comes_${c}` }),
        leaves = io.takes.bit(c),
        { valid, frame: head } = dut.heads.at(c),
        inside = reg(uint(COUNT), { init: 0, name: `model_inside_${c}` });
      assumeAlways(leaves.not().or(valid), `class ${c} is taken when it has a head`);
      assumeAlways(comes.not().or(inside.lt(PLACES)), `class ${c} has room: no more frames than beats`);
      assertAlways(valid.not().or(inside.any()), `class ${c} has a head only when it has a frame`);
      inside.set(inside.add(comes.zext(COUNT)).sub(leaves.zext(COUNT)));
      return { comes, leaves, valid, inside, mark: head.facts.unordered };
    });
    if (mine === undefined || other === undefined) throw new RangeError("two classes");
    const { comes, leaves, inside } = mine;

    const been = reg(bit, { init: 0, name: "model_been" }),
      there = reg(bit, { init: 0, name: "model_there" }),
      ahead = reg(uint(COUNT), { init: 0, name: "model_ahead" });
    const marked = node(comes.and(io.marks).andNot(been), { name: "model_marked" }),
      turn = node(there.and(ahead.any().not()), { name: "model_turn" });
    when(marked, () => {
      been.set(1);
      there.set(1);
      ahead.set(inside.sub(leaves.zext(COUNT)));
    }).elseWhen(leaves, () => {
      ahead.set(ahead.sub(there.andNot(turn).zext(COUNT)));
      there.set(there.andNot(turn));
    });
    dut.push.set({ valid: io.comes, class: io.second.zext(classBits), frame: frame(marked) });
    dut.pop.set(io.takes.zext(queueClasses));
    assertAlways(leaves.not().or(mine.mark.eq(turn)), "what the class gives is the frame whose turn it is");
    assertAlways(other.leaves.not().or(other.mark.not()), "no frame comes out of another class");

    const waits = reg(uint(3), { init: 0, name: "model_waits" });
    waits.set(mux(inside.any().andNot(mine.valid), waits.add(1), constant(0, 3)));
    assertAlways(waits.lt(SOON), "a class that has frames shows one soon");
    io.heads.set(cat(other.valid, mine.valid).is(CLASSES));
    cover(marked.and(inside.eq(PLACES - 1)).and(other.inside.eq(PLACES)), "it comes in last when both are full");
    cover(leaves.and(turn).and(inside.eq(PLACES)), "it leaves from a full class");
  },
);

export const classListsProof: Proof = {
  module: `ClassLists, 2 classes of ${PLACES} places`,
  harness: harness(),
  long: "minutes",
  reach: 16,
  by: "abc pdr",
  faults: [
    { what: "a frame passes those in memory", from: /straight_0 = ([^;]*) & ~any_0/, to: "straight_0 = $1" },
    {
      what: "a frame passes the one that is fetched",
      from: /straight_0 = ([^;]*) & ~is_fetched/,
      to: "straight_0 = $1",
    },
    { what: "one too many is at hand", from: "room_0 = claimed_0 < 3'd4", to: "room_0 = claimed_0 < 3'd5" },
    { what: "the ring does not wrap", from: /\(tail_0 == 6'd\d+\) \?/, to: "1'b0 ?" },
  ],
};
