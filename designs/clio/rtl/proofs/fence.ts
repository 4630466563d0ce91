/**
 * The fence unit: a fence is answered when what was inside before it has left, and then soon; nothing that comes later
 * keeps it waiting.
 */
import {
  assertAlways,
  assumeAlways,
  bit,
  type Bit,
  bitsFor,
  connect,
  cover,
  decode,
  input,
  instance,
  module,
  moduleObeys,
  mux,
  node,
  output,
  producerObeys,
  type Proof,
  reg,
  sink,
  source,
  struct,
  uint,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";
import { type FenceParameters, FenceReply, FenceUnit } from "../dispatch/fence.ts";
import { Release, slotBits } from "../../../shared/frame/index.ts";

const SLOTS = 2;
/**
 * Cycles in which `reply` is taken, from the last one leaving to the answer: 2 of latency, and the answers that can
 * go before it.
 */
const SOON = 8;

const harness = module(
  "FenceProof",
  (p: FenceParameters) => ({
    fence: sink(struct({ slot: uint(slotBits(p)) })),
    entered: input(Release(p)),
    busy: input(uint(SLOTS)),
    reply: source(FenceReply(p)),
    pick: input(bit),
    waiting: output(uint(bitsFor(p.fences))),
  }),
  (io, p) => {
    const dut = instance("dut", FenceUnit(p));
    connect(io.fence, dut.fence);
    connect(dut.reply, io.reply);
    dut.entered.set({ valid: io.entered.valid, slot: io.entered.slot });
    dut.busy.set(io.busy);
    io.waiting.set(dut.waiting);
    const at = (v: UInt, slot: UInt): Bit => v.shr(slot).bit(0);
    const marked = (given: Bit, slot: UInt, name: string): UInt => node(mux(given, decode(slot, SLOTS), 0), { name });

    // Assumptions about the surroundings: a slot is in use from before it enters until it leaves, and a fence's
    // until its answer.
    const inside = reg(uint(SLOTS), { init: 0, name: "model_inside" }),
      asking = reg(uint(SLOTS), { init: 0, name: "model_asking" });
    const enters = marked(io.entered.valid, io.entered.slot, "model_enters"),
      asks = marked(io.fence.fire, io.fence.payload.slot, "model_asks");
    const answers = marked(io.reply.fire, io.reply.payload.slot, "model_answers");
    inside.set(inside.and(io.busy).or(enters));
    asking.set(asking.or(asks).and(answers.not()));
    assumeAlways(enters.and(io.busy.not()).any().not(), "what enters is in use");
    assumeAlways(enters.and(inside.or(asking).or(asks)).any().not(), "what enters is neither inside nor a fence's");
    assumeAlways(
      io.fence.valid.not().or(at(inside.or(asking), io.fence.payload.slot).not()),
      "a fence has a slot of its own",
    );
    producerObeys(
      { ...io.fence, payload: io.fence.payload.slot, valid: io.fence.valid, ready: io.fence.ready },
      "fence",
    );
    moduleObeys({ valid: io.reply.valid, ready: io.reply.ready, payload: io.reply.payload.slot }, "reply");

    // Any one fence: a claim for it holds for every fence.
    const active = reg(bit, { init: 0, name: "model_active" }),
      slot = reg(uint(slotBits(p)), { name: "model_slot" }),
      full = reg(bit, { name: "model_full" });
    const before = reg(uint(SLOTS), { init: 0, name: "model_before" }),
      late = reg(uint(4), { init: 0, name: "model_late" });
    const picked = node(io.fence.fire.and(io.pick).and(active.not()), { name: "model_picked" });
    const mine = node(active.and(io.reply.valid).and(io.reply.payload.slot.eq(slot)), { name: "model_mine" });
    when(picked, () => {
      active.set(1);
      slot.set(io.fence.payload.slot);
      full.set(dut.waiting.eq(p.fences));
      before.set(inside.and(io.busy));
      late.set(0);
    }).otherwise(() => {
      before.set(before.and(io.busy));
      when(mine.and(io.reply.ready), () => active.set(0));
      when(active.and(before.any().not().or(full)).and(io.reply.ready), () => late.set(late.add(1)));
    });
    assertAlways(io.reply.valid.not().or(at(asking, io.reply.payload.slot)), "only a fence that waits is answered");
    assertAlways(
      mine.not().or(io.reply.payload.refused.eq(full)),
      "a fence is refused when it finds all places taken, and only then",
    );
    assertAlways(
      mine.not().or(io.reply.payload.refused).or(before.any().not()),
      "a fence is answered when all that was before it has left",
    );
    assertAlways(late.lt(SOON), "a fence is answered soon after");
    assertAlways(io.fence.ready, "a fence is always taken");
    // With as many places as slots there is always room.
    if (p.fences < SLOTS) cover(mine.and(io.reply.payload.refused), "a fence is refused");
    else cover(dut.waiting.eq(p.fences), "all places are taken");
    cover(mine.and(full.not()).and(inside.any()), "a fence is answered while later requests are inside");
  },
);

const proof = (fences: number): Proof => ({
  module: `FenceUnit, ${SLOTS} slots, ${fences} fence${fences === 1 ? "" : "s"}`,
  long: true,
  harness: harness({ slots: SLOTS, fences }),
  faults: [
    { what: "a fence waits for later requests too", from: "awaited_0 & busy", to: "(awaited_0 | inside_) & busy" },
    { what: "a fence waits for nothing", from: "~(|awaited_0)", to: "1'b1" },
    {
      what: "a fence waits for its own slot",
      from: "takes_0 ? still_inside",
      to: "takes_0 ? still_inside | (2'd1 << fence_payload_slot)",
    },
  ],
});
/** One place, so that fences are refused; and two, which end in the order of arrival. */
export const fenceProofs: readonly Proof[] = [proof(1), proof(2)];
