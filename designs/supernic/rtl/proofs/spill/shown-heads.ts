/**
 * What the merge sees of a class queue that a ring's frame comes in the place of. The merge looks two cycles ahead: so
 * a head that was shown and not taken is not valid for two cycles before another one is. Rings, software, the merge's
 * takes and the class queue do as they like.
 */
import {
  arrayOf,
  assertAlways,
  assumeAlways,
  type Bit,
  bit,
  constant,
  cover,
  fromBits,
  input,
  type Inside,
  module,
  mux,
  node,
  output,
  portArray,
  type Proof,
  reg,
  sink,
  source,
  struct,
  mergePorts as together,
  uint,
  unpack,
  vec,
  widthOf,
} from "../../../../../hdl-dsl/index.ts";
import { classBits, FrameBeat, inlets, QueueHeads, userClasses } from "../../inside/index.ts";
import { offer, type Ring, type SpillIo, type SpillParameters, SpillRecord } from "../../spill/index.ts";

const p: SpillParameters = {
    ...{ ports: 1, users: 2, frameBytes: 320 },
    ...{ rings: 2, ringBytes: 16_384, memoryBytes: 65_536 },
  },
  INLET = 1,
  CLASS = 2,
  MARK = 15;
const ports = () =>
  together(
    {
      heads: input(vec(QueueHeads(p), inlets(p))),
      open: input(uint(inlets(p) * userClasses)),
      shown: output(vec(QueueHeads(p), inlets(p))),
    },
    portArray("take", inlets(p), sink(uint(classBits))),
    portArray("frames", inlets(p), source(FrameBeat)),
    portArray("fromQueue", inlets(p), sink(FrameBeat)),
    {
      dry: input(uint(p.users)),
      closing: input(uint(p.rings)),
      whole: input(uint(p.rings)),
      drains: input(uint(p.rings)),
      discards: input(uint(p.rings)),
      word: input(uint(512)),
      /** What the class queue's own take says; who has the inlets' beats. */
      passes: input(uint(inlets(p))),
      toMerge: input(uint(inlets(p))),
      isMerges: input(uint(inlets(p))),
      pending: output(uint(inlets(p))),
      busy: output(uint(p.rings)),
      hit: output(uint(p.rings)),
      reads: output(bit),
    },
  );

const harness = module("ShownHeadsProof", ports, io => {
  const rings = Array.from({ length: p.rings }, (_, i) => ({
    whole: io.whole.bit(i),
    drains: io.drains.bit(i),
    discards: io.discards.bit(i),
    tired: reg(bit, { init: 0, name: `tired_${i}` }),
    got: reg(uint(5), { init: 0, name: `got_${i}`, mayBeUnread: true }),
  })) as unknown as readonly Ring[]; // With all that is shown of them.
  const side = io as unknown as Inside<ReturnType<typeof ports>> & SpillIo, // What is shown looks at no more of it.
    offers = offer(side, p, rings, io.closing),
    takes = arrayOf(io, "take", inlets(p));
  offers.give(
    io.word,
    takes.map((_, i) => io.toMerge.bit(i)),
    takes.map((_, i) => io.isMerges.bit(i)),
  );
  takes.forEach((take, i) => {
    const hits = offers.hits[i] as Bit,
      pending = offers.pending[i] as Bit;
    take.ready.set(hits.or(io.passes.bit(i).andNot(pending)));
  });
  io.pending.set(fromBits(offers.pending).is(inlets(p)));
  io.busy.set(offers.busy);
  io.hit.set(offers.hit);
  io.reads.set(offers.read.en);

  // Whose a head is that is shown: frames of rings have a number with its highest bit, those of class queues none.
  const record = unpack(SpillRecord(p), io.word.trunc(widthOf(SpillRecord(p)))),
    head = io.shown.at(INLET).at(CLASS),
    mine = node(head.valid.and(head.facts.uid.bit(MARK)), { name: "model_of_ring" }),
    queues = node(head.valid.andNot(mine), { name: "model_of_queue" }),
    take = takes[INLET] as (typeof takes)[number],
    taken = node(take.valid.and(take.ready).and(take.payload.eq(CLASS)), { name: "model_taken" });
  assumeAlways(record.uid.bit(MARK), "a ring's frame has the mark");
  assumeAlways(io.heads.at(INLET).at(CLASS).facts.uid.bit(MARK).not(), "a class queue's has not");
  const Last = struct({ valid: bit, ring: bit, uid: uint(16) }),
    one = reg(Last, { init: 0, name: "model_last" }),
    two = reg(Last, { init: 0, name: "model_before" });
  // Behind a take anything may come.
  one.set({ valid: head.valid.andNot(taken), ring: mine, uid: head.facts.uid });
  two.set({ valid: one.valid.andNot(taken), ring: one.ring, uid: one.uid });
  const stays = reg(bit, { init: 0, name: "model_stays" }),
    passed = reg(uint(2), { init: 2, name: "model_empty_cycles" });
  stays.set(mine);
  passed.set(mux(head.valid, constant(0, 2), mux(passed.eq(2), passed, passed.add(1))));
  assertAlways(mine.andNot(stays).not().or(passed.eq(2)), "two cycles without a head are in front of a ring's frame");
  assertAlways(mine.and(one.valid).not().or(head.facts.uid.eq(one.uid)), "a ring's frame stays until it is taken");
  assertAlways(queues.and(one.valid).and(one.ring).not(), "a ring's frame that was not taken is not another one next");
  assertAlways(queues.and(two.valid).and(two.ring).not(), "nor in the cycle behind that");
  assertAlways(
    (offers.hits[INLET] as Bit).and(take.payload.eq(CLASS)).not().or(mine),
    "a take gets a ring's frame only while that is shown",
  );
  cover(mine.and(taken), "a ring's frame is taken");
  cover(queues.and(passed.eq(0).not()), "the class queue's head is shown again");
});

export const shownHeadsProof: Proof = {
  module: "Spill: two cycles without a head around a ring's frame, 2 rings",
  harness: harness(),
  own: true,
  by: "abc pdr",
  faults: [
    { what: "one cycle is enough", from: "offer_timer == 8'd1", to: "offer_timer == 8'd0" },
    {
      what: "the class queue's head stays in front of a ring's frame",
      from: /offer_hides = [^;]*;/,
      to: "offer_hides = offer_state == offer_state_leaves;",
    },
    {
      what: "it is shown at once when a ring's frame makes way",
      from: /offer_hides = [^;]*;/,
      to: "offer_hides = offer_state == offer_state_hides;",
    },
    {
      // From what the timer had before, it takes over two hundred cycles to come to less than two: too deep to find.
      what: "the cycles are counted from one",
      from: /(offer_state == offer_state_notes\) begin\s+)offer_timer <= 8'd0;/,
      to: "$1offer_timer <= 8'd1;",
    },
    {
      what: "a frame that makes way is over before its cycles are",
      from: "(offer_state == offer_state_leaves) & gap_ends",
      to: "offer_state == offer_state_leaves",
    },
    { what: "a take gets a frame that is not shown", from: /offer_shows & offer_inlet\[1\]/, to: "offer_inlet[1]" },
  ],
};
