/** The free beats of a port's buffer, to which two come back in a cycle: none is given out twice, none is forgotten. */
import {
  assertAlways,
  assumeAlways,
  bit,
  connect,
  constant,
  cover,
  input,
  instance,
  module,
  moduleObeys,
  mux,
  node,
  output,
  past,
  type Proof,
  reg,
  source,
  struct,
  uint,
  type UInt,
  type Val,
} from "../../../../hdl-dsl/index.ts";
import { BeatPool } from "../port/index.ts";

const BEATS = 2,
  BITS = 1;
const Freed = struct({ valid: bit, beat: uint(BITS) });

const harness = module(
  "BeatPoolProof",
  () => ({
    offer: source(uint(BITS)),
    given: input(Freed),
    dropped: input(Freed),
    free: output(uint(BITS + 1)),
  }),
  io => {
    const dut = instance(
      "dut",
      BeatPool({ ports: 2, frameBytes: 38, beats: BEATS, softwareBeats: 1, pauseAt: 1, resumeAt: 1 }),
    );
    connect(dut.offer, io.offer);
    dut.given.set(io.given);
    dut.dropped.set(io.dropped);
    io.free.set(dut.free.is(BITS + 1));
    const waited = moduleObeys(io.offer, "offer");

    const none = constant(0, BEATS),
      one = (cell: UInt): UInt => constant(1, BEATS).shl(cell),
      freedBy = (name: string, f: Val<typeof Freed>): UInt =>
        node(mux(f.valid, one(f.beat), none).is(BEATS), { name: `model_${name}` });
    const given = freedBy("given", io.given),
      dropped = freedBy("dropped", io.dropped),
      taken = node(mux(io.offer.fire, one(io.offer.payload), none).is(BEATS), { name: "model_taken" });
    const out = reg(uint(BEATS), { init: 0, name: "model_out" });
    out.set(out.or(taken).andNot(given.or(dropped)));
    assumeAlways(given.or(dropped).andNot(out).any().not(), "only a beat that is out comes back");
    assumeAlways(given.and(dropped).any().not(), "a beat comes back from one side");

    assertAlways(io.offer.valid.not().or(out.shr(io.offer.payload).bit(0).not()), "what is offered is not out");
    const live = Array.from({ length: BEATS }, (_, i) => out.bit(i).zext(BITS + 1)).reduce((a, b) => a.add(b)),
      moved = node(io.offer.fire.or(io.given.valid).or(io.dropped.valid), { name: "model_moved" }),
      still = node(past(moved, 1).or(past(moved, 2)).not(), { name: "model_still" });
    assertAlways(still.not().or(io.free.add(live).eq(BEATS)), "free and live beats are all, when none moves");
    const could = past(out.all().not().and(io.offer.valid.not()), 2, { name: "model_was_free" });
    assertAlways(could.not().or(past(io.offer.valid, 1)).or(io.offer.valid), "a free beat is offered within 2 cycles");
    cover(out.all(), "all beats are out");
    cover(waited.and(io.offer.fire), "a beat is taken after a stall");
    cover(io.given.valid.and(io.dropped.valid).and(out.all()), "two come back when none is free");
  },
);

export const beatPoolProof: Proof = {
  module: `BeatPool, ${BEATS} beats`,
  long: true,
  harness: harness(),
  faults: [
    {
      what: "of two that come back one is lost",
      from: ".back_valid (given_valid)",
      to: ".back_valid (given_valid & ~dropped_valid)",
    },
    {
      what: "a dropped beat leaves its list when another goes",
      from: "chosen_grant[0] & offer_ready",
      to: "offer_ready",
    },
    {
      what: "a dropped beat takes the place of the one that is offered",
      from: "chosen_locked <= ~offer_ready",
      to: "chosen_locked <= 1'b0",
    },
  ],
};
