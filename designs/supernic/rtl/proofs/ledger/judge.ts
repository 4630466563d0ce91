/**
 * The ledger of the judge: each frame that comes leaves once, whatever its bytes say and whoever waits. As many are
 * inside as it has stages, at most: one that is lost, or comes twice, would be too many or too few in the end.
 */
import {
  assertAlways,
  bit,
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
  uint,
  type UInt,
} from "../../../../../hdl-dsl/index.ts";
import { Judge, judgeBeatBytes } from "../../judge/index.ts";

const COUNT = 4,
  /** Frames of one beat that are in its stages at once. */
  STAGES = 4;

const harness = module(
  "JudgeLedgerProof",
  () => ({
    comes: input(bit),
    data: input(uint(8 * judgeBeatBytes)),
    /** The last byte of a last beat. */
    lane: input(uint(6)),
    last: input(bit),
    bad: input(bit),
    reliable: input(bit),
    peer: input(bit),
    ready: input(bit),
    total: output(uint(COUNT)),
  }),
  io => {
    const dut = instance("dut", Judge({ frameBytes: 100 })),
      isLast = node(io.last, { name: "model_last" });
    const lanes = Array.from({ length: judgeBeatBytes }, (_, i): UInt =>
      i === 0 ? constant(1, 1) : io.lane.ge(i).zext(1),
    );
    dut.rx.valid.set(io.comes);
    dut.rx.payload.set({
      data: io.data,
      keep: mux(isLast, cat(...lanes.reverse()).is(judgeBeatBytes), constant((1n << 64n) - 1n, judgeBeatBytes)),
      last: isLast,
      user: isLast.and(io.bad),
    });
    dut.config.set({ reliable: io.reliable, peer: io.peer, class: 0 });
    dut.frame.ready.set(io.ready);
    const inside = reg(uint(COUNT), { init: 0, name: "model_inside" }),
      came = node(dut.rx.fire.and(isLast), { name: "model_came" }),
      went = node(dut.frame.fire.and(dut.frame.payload.last), { name: "model_went" });
    inside.set(inside.add(came.zext(COUNT)).sub(went.zext(COUNT)));
    assertAlways(inside.le(STAGES), "frames that have come have left, or are in a stage");
    assertAlways(went.not().or(inside.any()), "a frame that leaves has come");
    io.total.set(inside);
    cover(inside.eq(STAGES - 1), "three are inside");
    cover(went.and(came), "one comes while one goes");
  },
);

export const judgeLedgerProof: Proof = {
  module: "Judge's ledger",
  harness: harness(),
  own: true,
  reach: 20,
  faults: [
    {
      what: "a frame leaves for ever",
      from: "(judged_room) judged_valid <= stripped_valid",
      to: "(judged_room) judged_valid <= stripped_valid | judged_valid",
    },
    { what: "a beat that went into the one before it leaves by itself too", from: " & ~next_absorbed", to: "" },
    { what: "a frame that is too long never ends", from: "held_ends | ~beat_over", to: "~beat_over" },
  ],
};
