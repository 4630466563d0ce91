/**
 * The frames of a class leave in their order: none is lost, none comes twice, none overtakes. One frame is marked when
 * it comes in; those in front of it are counted, and it must be the one that is given when they are gone. All classes
 * have the same hardware: frames come for two, and the first is watched.
 *
 * What each place holds is said too, by how many frames are in front of it. So each cycle follows from the one before,
 * and no engine has to find out what the memories have in common.
 */
import {
  assertAlways,
  assumeAlways,
  bit,
  type Bit,
  bitsFor,
  cat,
  constant,
  cover,
  input,
  module,
  mux,
  node,
  output,
  type Proof,
  reg,
  type UInt,
  uint,
  when,
  wire,
} from "../../../../hdl-dsl/index.ts";
import { MatchOutcome } from "../match/index.ts";
import { classBeats, classRings, Queued } from "../port/index.ts";

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

type Rings = ReturnType<typeof classRings>;
type Ring = Rings["classes"][number];
/** A frame's mark, where it is kept. */
const markOf = (f: { readonly facts: { readonly unordered: UInt } }): Bit => f.facts.unordered.bit(0);

/** Where the frames of a class are: `isAt` says whether the one that is watched has so many in front of it. */
function placesOf(c: number, { rings, pushed, fetched }: Rings, ring: Ring, isAt: (n: UInt) => Bit): UInt {
  const wide = (v: UInt | Bit): UInt => v.zext(COUNT),
    { hand, came, waiting, head, size, base } = ring,
    fetchedAt = wide(hand.level),
    ringAt = node(fetchedAt.add(wide(came)), { name: `model_ring_at_${c}` }),
    pushedAt = node(ringAt.add(wide(waiting)), { name: `model_pushed_at_${c}` }),
    comes = pushed.valid.and(pushed.class.bit(c));
  for (let i = 0; i < 2 ** hand.first.width; i++) {
    const at = node(constant(i, hand.first.width).sub(hand.first), { name: `model_hand_${c}_${i}` });
    assertAlways(
      at
        .zext(COUNT)
        .ge(fetchedAt)
        .or(markOf(hand.places.readAsync(constant(i, hand.first.width))).eq(isAt(wide(at)))),
      `class ${c} has in place ${i} at hand the frame whose turn it is`,
    );
  }
  assertAlways(came.not().or(markOf(fetched).eq(isAt(fetchedAt))), `class ${c} is given the frame that is next`);
  for (let i = 0; i < size; i++) {
    const place = constant(base + i, head.width),
      past = mux(head.gt(place), constant(size, head.width), constant(0, head.width)),
      at = node(place.sub(head).add(past).resize(COUNT), { name: `model_place_${c}_${i}` });
    assertAlways(
      at.ge(wide(waiting)).or(markOf(rings.readAsync(place)).eq(isAt(ringAt.add(at)))),
      `class ${c} has in place ${i} of its ring the frame whose turn it is`,
    );
  }
  assertAlways(
    comes.not().or(markOf(pushed.frame).eq(isAt(pushedAt))),
    `what comes for class ${c} is behind all others`,
  );
  return pushedAt.add(wide(comes));
}

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
    const pushed = wire(Queued(sizes), { name: "model_pushed" }),
      push = { valid: io.comes, class: io.second.zext(1), frame: pushed };
    const dut = classRings(sizes, [PLACES, PLACES], push, io.takes);
    const [mine, other] = dut.classes.map((ring, c) => {
      const comes = node(io.comes.and(io.second.eq(c)), { name: `model_comes_${c}` }),
        leaves = io.takes.bit(c),
        { valid, frame: head } = ring.shown,
        inside = reg(uint(COUNT), { init: 0, name: `model_inside_${c}` });
      assumeAlways(leaves.not().or(valid), `class ${c} is taken when it has a head`);
      assumeAlways(comes.not().or(inside.lt(PLACES)), `class ${c} has room: no more frames than beats`);
      assertAlways(valid.not().or(inside.any()), `class ${c} has a head only when it has a frame`);
      inside.set(inside.add(comes.zext(COUNT)).sub(leaves.zext(COUNT)));
      return { ring, comes, leaves, valid, inside, mark: head.facts.unordered };
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
    pushed.set(frame(marked));
    assertAlways(there.not().or(ahead.lt(inside)), "the frame that is watched is inside");
    assertAlways(there.not().or(been), "and has come");
    const isAt = (n: UInt): Bit => there.and(ahead.eq(n));
    assertAlways(placesOf(0, dut, mine.ring, isAt).eq(inside), "each frame of the class is somewhere");
    assertAlways(
      placesOf(1, dut, other.ring, () => constant(0, 1)).eq(other.inside),
      "each frame of the other class is somewhere",
    );
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
    { what: "the ring does not wrap", from: /\(tail_0 == \d'd\d+\) \?/, to: "1'b0 ?" },
  ],
};
