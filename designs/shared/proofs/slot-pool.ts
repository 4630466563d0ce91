/** The slot pool: no slot is given out twice, and none is forgotten. */
import {
  assertAlways,
  assumeAlways,
  bit,
  type Bit,
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
  vec,
} from "../../../hdl-dsl/index.ts";
import { SlotPool } from "../frame/index.ts";

const SLOTS = 4,
  RELEASES = 2;

const harness = module(
  "SlotPoolProof",
  () => ({
    offer: source(uint(2)),
    release: input(vec(struct({ valid: bit, slot: uint(2) }), RELEASES)),
    busy: output(uint(SLOTS)),
  }),
  io => {
    const dut = instance("dut", SlotPool({ slots: SLOTS, releases: RELEASES }));
    connect(dut.offer, io.offer);
    dut.release.set(io.release);
    io.busy.set(dut.busy.is(SLOTS));
    const waited = moduleObeys(io.offer, "offer");
    const marked = (given: Bit, slot: UInt, name: string): UInt =>
      node(mux(given, constant(1, SLOTS).shl(slot), constant(0, SLOTS)), { name });
    const [first, second] = [io.release.at(0), io.release.at(1)];
    const freed = node(
      marked(first.valid, first.slot, "model_freed_0")
        .or(marked(second.valid, second.slot, "model_freed_1"))
        .is(SLOTS),
      { name: "model_freed" },
    );
    const out = reg(uint(SLOTS), { init: 0, name: "model_out" });
    out.set(out.or(marked(io.offer.fire, io.offer.payload, "model_given").is(SLOTS)).and(freed.not()));
    assumeAlways(freed.and(out.not()).any().not(), "only busy slots are released");
    assumeAlways(first.valid.and(second.valid).and(first.slot.eq(second.slot)).not(), "a slot is released once");
    assertAlways(io.offer.valid.not().or(out.shr(io.offer.payload).bit(0).not()), "what is offered is not out");
    assertAlways(io.busy.eq(out), "busy says what is out");
    // The register of the offer takes a cycle to see that a slot is free.
    const could = past(out.all().not().and(io.offer.valid.not()), 1, { name: "model_was_free" });
    assertAlways(could.not().or(io.offer.valid), "a free slot is offered in the cycle after the next at the latest");
    cover(out.all(), "all slots are out");
    cover(waited.and(io.offer.fire), "a slot is taken after a stall");
    cover(first.valid.and(second.valid).and(io.offer.fire), "two come back while one goes");
  },
);

export const slotPoolProof: Proof = {
  module: `SlotPool, ${SLOTS} slots, ${RELEASES} releases`,
  harness: harness(),
  faults: [{ what: "the slot that is on offer is looked at as free", from: /taken \| held/, to: "taken" }],
};
