/**
 * Turns for places: how long a client is told that what it begins ends for good, how long it is busy after that, and
 * that it becomes unknown then, and not before. On these times rests that nothing is done twice (docs/clio/retry.md):
 * no frame lives for as long as a part.
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
  struct,
  uint,
  type UInt,
  when,
  wire,
} from "../../../../hdl-dsl/index.ts";
import { turnsOf } from "../retry/retry-verdict/turns.ts";

const PART = 5,
  /** Cycles between the parts, and from the second one to the strike. */
  STEPS = 3;
const Place = struct({ valid: bit, index: uint(1) });

/** Cycles in which `during` has held without a break, this one not among them; up to two parts and some. */
function cyclesOf(during: Bit, name: string): UInt {
  const most = 2 * PART + 2 * STEPS,
    cycles = reg(uint(bitsFor(most)), { init: 0, name });
  cycles.set(mux(during, mux(cycles.eq(most), cycles, cycles.add(1)), constant(0, cycles.width)));
  return cycles;
}

const harness = module(
  "RetryTurnsProof",
  () => ({
    add: input(Place),
    refused: input(bit),
    eased: input(bit),
    holds: input(bit),
    struck: input(bit),
    on: output(bit),
    strike: output(Place),
  }),
  io => {
    const strike = wire(Place),
      turns = turnsOf({ part: PART, clients: 2 }, { add: io.add, place: io.add, struck: io.struck, strike }, io);
    io.on.set(turns.on);
    io.strike.set(strike);
    assumeAlways(io.struck.not().or(strike.valid), "nobody is struck who does not stand there");
    // All places are taken then, so each was entered since the reset: who follows the newest has no reset of its own.
    const entered = reg(bit, { init: 0, name: "model_entered" });
    when(io.add.valid, () => entered.set(1));
    assumeAlways(io.refused.not().or(entered), "nobody is refused before somebody has entered");

    const was = reg(bit, { init: 0, name: "model_was" }),
      yielded = reg(bit, { init: 0, name: "model_yielded" }),
      index = reg(bit, { init: 0, name: "model_index" }),
      left = reg(uint(turns.left.width), { init: 0, name: "model_left" });
    was.set(turns.on);
    yielded.set(turns.final);
    index.set(turns.index);
    left.set(turns.left);
    const starts = node(turns.on.andNot(was), { name: "model_starts" }),
      fading = node(turns.on.andNot(turns.final).and(mux(was, yielded, constant(0, 1))), { name: "model_fading" }),
      fades = reg(bit, { init: 0, name: "model_fades" });
    when(turns.on.not(), () => fades.set(0)).elseWhen(fading, () => fades.set(1));
    const inFade = node(fading.or(fades).and(turns.on), { name: "model_in_fade" });
    const yielding = cyclesOf(turns.final, "model_yielding"),
      fadingFor = cyclesOf(inFade, "model_fading_for");

    // A part ends when it has had its cycles.
    assertAlways(fading.not().or(yielding.ge(PART)), "what it begins ends for good for a part at least");
    assertAlways(turns.final.not().or(yielding.lt(PART + STEPS)), "and for not much longer");
    assertAlways(strike.valid.not().or(fadingFor.ge(PART)), "it is busy for a part at least before it is struck");
    const unheld = cyclesOf(inFade.andNot(io.holds), "model_unheld");
    assertAlways(
      cat(inFade, unheld.ge(PART + STEPS), io.holds.not())
        .all()
        .not()
        .or(strike.valid),
      "and not for much longer, when it has no request in the pipeline",
    );
    assertAlways(strike.valid.and(io.holds).not(), "nobody is struck while the pipeline has a request of his");
    // Nobody is let off, and nobody else is meant in between.
    const begun = reg(bit, { init: 0, name: "model_begun" });
    when(turns.on.not(), () => begun.set(0)).elseWhen(turns.final, () => begun.set(1));
    const struckBefore = reg(bit, { init: 0, name: "model_struck_before" });
    struckBefore.set(io.struck);
    assertAlways(begun.not().or(turns.on).or(struckBefore), "a turn that was told of ends with the strike");
    assertAlways(was.and(turns.on).not().or(index.eq(turns.index)), "a turn is one client's");
    assertAlways(strike.valid.not().or(strike.index.eq(turns.index)), "who is struck is whose turn it is");
    // A turn begins when a newcomer has found nobody to forget for a part. Both facts come a cycle late.
    const easing = reg(bit, { init: 0, name: "model_easing" }),
      refusing = reg(bit, { init: 0, name: "model_refusing" }),
      asked = reg(bit, { init: 0, name: "model_asked" });
    easing.set(io.eased);
    refusing.set(io.refused);
    asked.set(mux(turns.on, constant(0, 1), mux(asked, easing.not(), refusing)));
    const since = cyclesOf(asked, "model_since");
    assertAlways(starts.not().or(since.ge(PART)), "nobody has a turn before a newcomer was refused for a part");
    const next = reg(bit, { init: 0, name: "model_next" });
    when(io.add.valid, () => next.set(io.add.index.not()));
    const before = reg(bit, { init: 0, name: "model_next_before" });
    before.set(next);
    assertAlways(starts.not().or(turns.index.eq(before)), "it is the turn of who follows the newest");
    // What is told to wait is what is left.
    assertAlways(
      cat(begun, turns.on, left.any())
        .all()
        .not()
        .or(turns.left.add(1).eq(left))
        .or(fading.and(turns.left.eq(left))),
      "what is left becomes less by one a cycle, but for one between the parts",
    );
    assertAlways(strike.valid.not().or(turns.left.any().not()), "nothing is left when the place can be had");
    cover(strike.valid, "somebody is struck");
    cover(cat(strike.valid, strike.index).all(), "the other one is struck");
    cover(turns.final, "somebody is told that what he begins ends");
  },
)();

export const retryTurnsProof: Proof = {
  module: `Turns of the retry buffer, parts of ${PART} cycles`,
  harness,
  reach: 3 * PART + 20,
  long: true,
  own: true,
  faults: [
    { what: "a part is two cycles shorter", from: "turn_left <= begins ? 3'd5", to: "turn_left <= begins ? 3'd3" },
    {
      what: "a turn has one part",
      from: /(?<=parting_yields: if \(turn_over\) parting <= )parting_fades/,
      to: "parting_ends",
    },
    {
      what: "who is to leave is let off",
      from: "parting_yields: if (turn_over)",
      to: "parting_yields: if (turn_eased) parting <= parting_calm; else if (turn_over)",
    },
    {
      what: "a turn begins at the second refusal",
      from: "(turn_refused) parting <= parting_asked",
      to: "(turn_refused) parting <= parting_due",
    },
    { what: "the newest leaves", from: "turn_next <= add_index + 1'b1", to: "turn_next <= add_index" },
  ],
};
