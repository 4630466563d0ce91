/** The beats of a slot's payloads, both ways: docs/supernic/payload.md. */
import {
  bit,
  type Bit,
  bitsFor,
  constant,
  fifoWithLevel,
  mux,
  node,
  reg,
  stream,
  type StreamIn,
  type StreamOut,
  struct,
  uint,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";
import { passQueue } from "../../../shared/stream/index.ts";
import { PayloadBeat, payloadBits, told } from "../tasks/index.ts";
import { level } from "./level.ts";

/** Beats on their way back that wait for the store. */
const backPlaces = 4;
/** Bits of a payload's number of beats. */
export const beatBits = told.payloadBytes.width - Math.log2(payloadBits / 8);

/** A slot's ends of the ways of beats. */
export interface BeatEnds {
  readonly payload: StreamIn<typeof PayloadBeat>;
  readonly taskPayload: StreamOut<typeof PayloadBeat>;
  readonly back: StreamOut<typeof PayloadBeat>;
  readonly taskBack: StreamIn<typeof PayloadBeat>;
}
/** What the slot says of its packets. */
export interface Packets {
  /** One has come for the task. */
  readonly comes: Bit;
  readonly ctx: UInt;
  /** Its first one is taken, with so many bytes of payload; one leaves. */
  readonly takes: Bit;
  readonly payloadBytes: UInt;
  readonly leaves: Bit;
  /** The task is switched off: what is taken now has not been inside of it. */
  readonly off: Bit;
}
/** What is due of a packet: nothing, or beats up to the one of this number. */
export const Due = struct({ some: bit, lastAt: uint(beatBits) });

/** The beats that come: to the task, or nowhere. */
export function comeIn(io: BeatEnds, depth: number, taken: Bit, some: Bit, { off, leaves }: Packets) {
  const dues = passQueue("reads_due", bit, depth, taken, some);
  const { valid, payload } = io.payload;
  // The next packet's beat may be there while the one in front, which has none, takes its cycle.
  const owed = node(dues.valid.and(dues.payload), { name: "reads_owed" });
  io.taskPayload.valid.set(valid.and(owed).andNot(off));
  io.taskPayload.payload.set(payload);
  io.payload.ready.set(io.taskPayload.ready.or(off).and(owed));
  const ends = node(io.payload.fire.and(payload.last), { name: "reads_end" });
  dues.ready.set(dues.payload.not().or(ends));
  const done = level("reads_done", bitsFor(depth), node(dues.fire, { name: "read_is_done" }), leaves);
  return {
    done: done.any(),
    progress: io.taskPayload.fire,
    held: node(owed.andNot(valid), { name: "reads_wait" }),
  };
}

/** The beats that go back: the task's, as long as they fit. */
export function goBack(
  io: BeatEnds,
  depth: number,
  taken: Bit,
  due: { readonly some: Bit; readonly lastAt: UInt },
  { off, leaves }: Packets,
) {
  const dues = passQueue("backs_due", Due, depth, taken, due),
    at = reg(uint(beatBits), { init: 0, name: "back_at" }),
    early = reg(bit, { init: 0, name: "back_ended_early" }),
    excess = reg(bit, { init: 0, name: "back_has_more" });
  const { valid, payload: beat } = io.taskBack,
    pads = node(off.or(early), { name: "back_pads" }),
    owes = node(dues.valid.and(dues.payload.some).andNot(excess.andNot(off)), { name: "back_owes" }),
    final = node(at.eq(dues.payload.lastAt), { name: "back_is_final" }),
    unfit = node(pads.or(beat.last.xor(final)), { name: "back_unfit" });
  const Kept = struct({ ...PayloadBeat.fields, wrong: bit }),
    offered = stream(Kept, { name: "back_offered" });
  offered.valid.set(owes.and(pads.or(valid)));
  offered.payload.set({ data: beat.data, last: final, wrong: unfit });
  const { out, level: under } = fifoWithLevel(offered, backPlaces, { name: "backs", style: "distributed" }),
    moves = node(offered.fire, { name: "back_moves" }),
    fits = node(moves.andNot(pads), { name: "back_fits" });
  const idle = node(dues.valid.or(excess).not(), { name: "back_idle" }),
    // Also while the packet in front has none: then it waits a cycle.
    drops = node(excess.or(idle), { name: "back_drops" });
  io.taskBack.ready.set(mux(owes.andNot(pads), offered.ready, drops));
  when(moves, () => at.set(mux(final, constant(0, beatBits), at.add(1))));
  when(moves.and(final), () => early.set(0)).elseWhen(fits.and(beat.last), () => early.set(1));
  when(off, () => excess.set(0))
    .elseWhen(fits.and(final).andNot(beat.last), () => excess.set(1))
    .elseWhen(excess.and(valid).and(beat.last), () => excess.set(0));

  // Done when the store has the last one; without any, when nothing is in front of it.
  io.back.valid.set(out.valid);
  io.back.payload.set({ data: out.payload.data, last: out.payload.last });
  out.ready.set(io.back.ready);
  const none = node(dues.valid.andNot(dues.payload.some).andNot(under.any()), { name: "back_has_none" }),
    ends = node(out.fire.and(out.payload.last), { name: "back_ends" });
  dues.ready.set(none.or(moves.and(final)));
  const done = reg(bit, { init: 0, name: "back_done" }),
    wrong = reg(bit, { name: "back_wrong" });
  done.set(none.or(ends));
  wrong.set(none.not().and(out.payload.wrong));
  const dones = passQueue("backs_done", bit, depth, done, wrong);
  dones.ready.set(leaves);
  return {
    done: dones.valid,
    wrong: dones.payload,
    progress: fits,
    held: node(offered.valid.andNot(offered.ready), { name: "backs_wait" }),
    stray: node(idle.and(valid).andNot(off), { name: "back_is_stray" }),
  };
}
