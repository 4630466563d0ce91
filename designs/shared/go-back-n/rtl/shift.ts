/**
 * The Go-Back-N header taken out of frames and put into them, on the fly: everything behind it moves by its 8 bytes.
 */
import {
  atLeast,
  bit,
  type Bit,
  cat,
  connect,
  constant,
  enumOf,
  fromBits,
  map,
  module,
  mux,
  node,
  reg,
  sink,
  source,
  stage,
  stream,
  struct,
  uint,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";
import { ethernetHeader, headerOffsets, ipv4Header, udpHeader } from "../../wire/index.ts";
import { AxisBeat, slotBeatBits } from "../../frame/index.ts";
import { tagBits, tagPrefix } from "./tags.ts";
import { gbnBytes, gbnOffset, ticketBits } from "./types.ts";

export interface GbnShiftParameters {
  readonly beatBytes: number;
  readonly frameBytes: number;
}

/** Action on a frame. */
export const GbnAction = enumOf("GbnAction", ["discard", "asIs", "shift"]);
/** Fields of the headers that change with the length. The UDP checksum becomes 0 (none). */
const Lengths = { ipLength: uint(16), checksum: uint(16), udpLength: uint(16) };
/** `shift`: the header goes out, and the sender's MAC becomes the tag. */
export const RemovePlan = struct({ action: GbnAction, ticket: uint(ticketBits), tag: uint(tagBits), ...Lengths });
/** `shift`: `header` goes in, and the receiver's MAC becomes `mac`. */
export const InsertPlan = struct({ action: GbnAction, mac: uint(48), header: uint(gbnBytes * 8), ...Lengths });

/** Bytes of a network-order number, first byte first. */
const bytesOf = (v: UInt): UInt[] => Array.from({ length: v.width / 8 }, (_, i) => v.bits(v.width - 8 * (i + 1), 8));
interface Patch {
  readonly at: number;
  readonly bytes: readonly UInt[];
}
const lengthPatches = (v: { readonly ipLength: UInt; readonly checksum: UInt; readonly udpLength: UInt }): Patch[] => [
  { at: headerOffsets.network + ipv4Header.at.totalLength.byteOffset, bytes: bytesOf(v.ipLength) },
  { at: headerOffsets.network + ipv4Header.at.checksum.byteOffset, bytes: bytesOf(v.checksum) },
  { at: headerOffsets.transport + udpHeader.at.length.byteOffset, bytes: bytesOf(v.udpLength) },
  { at: headerOffsets.transport + udpHeader.at.checksum.byteOffset, bytes: [constant(0, 8), constant(0, 8)] },
];
/** The beat with the patched bytes in the places of their frame bytes. `beat` is the beat's number in the frame. */
function patched(data: UInt, beat: UInt, on: Bit, patches: readonly Patch[], beatBytes: number): UInt {
  const lanes = Array.from({ length: beatBytes }, (_, i) => data.bits(8 * i, 8));
  for (const { at, bytes } of patches)
    bytes.forEach((b, i) => {
      const lane = (at + i) % beatBytes;
      lanes[lane] = mux(on.and(beat.eq(Math.floor((at + i) / beatBytes))), b, lanes[lane] as UInt) as UInt<8>;
    });
  return cat(...[...lanes].reverse());
}
/** `header` and a beat before it, side by side: lane i of the result is lane i + by of the two. */
const lanesOf = (low: UInt, high: UInt, by: number, lanes: number, bits: number): UInt =>
  cat(high, low).bits(by * bits, lanes * bits);

/** Number of a beat, saturating. */
const counted = (p: GbnShiftParameters): number => slotBeatBits(p) + 1;

/**
 * Takes the header out. One plan per frame of `beats`, in order: `discard` swallows it, `raw` passes it as it is,
 * `shift` as said above. A shifted frame is longer than its headers. Latency 2 cycles; initiation interval: one beat
 * taken per cycle, no bubble between frames. A beat waits for its frame's plan.
 */
export const GbnRemove = module(
  "GbnRemove",
  (p: GbnShiftParameters) => ({
    plan: sink(RemovePlan),
    beats: sink(AxisBeat(p.beatBytes)),
    tx: source(AxisBeat(p.beatBytes)),
  }),
  (io, p) => {
    const { beatBytes } = p,
      headBeat = Math.floor(gbnOffset / beatBytes),
      headLane = gbnOffset % beatBytes;
    const plan = io.plan.payload,
      beats = io.beats.payload;
    const first = reg(bit, { init: 1 });
    const index = reg(uint(counted(p)), { init: 0 });
    const number = node(mux(first, constant(0, counted(p)), index));

    // The beat before the one at hand.
    const heldValid = reg(bit, { init: 0 });
    const held = reg(AxisBeat(beatBytes));
    const heldShifts = reg(bit);
    const heldHead = reg(bit);
    const out = stream(AxisBeat(beatBytes));
    const joins = node(heldValid.and(heldShifts).and(held.last.not()));
    const absorbs = node(
      joins.and(beats.last).and(beatBytes > gbnBytes ? beats.keep.bit(gbnBytes).not() : constant(1, 1)),
    );
    const discards = node(plan.action.eq(GbnAction.discard));
    out.valid.set(heldValid.and(joins.not().or(io.beats.valid)));
    const gives = node(out.fire);
    // A beat comes in when the held one leaves, or there is none.
    const room = node(heldValid.not().or(gives));
    io.beats.ready.set(room.and(io.plan.valid));
    const taken = node(io.beats.fire);
    io.plan.ready.set(taken.and(beats.last));
    when(taken, () => {
      first.set(beats.last);
      index.set(mux(number.all(), number, number.add(1)));
    });
    const shifts = node(plan.action.eq(GbnAction.shift));
    const mac = cat(constant(tagPrefix, 48 - ticketBits - tagBits), plan.ticket, plan.tag);
    const source = patched(
      beats.data,
      number,
      shifts,
      [{ at: ethernetHeader.at.src.byteOffset, bytes: bytesOf(mac) }, ...lengthPatches(plan)],
      beatBytes,
    );
    when(room, () => heldValid.set(taken.and(discards.not()).and(absorbs.not())));
    when(taken, () => {
      held.set({ data: source, keep: beats.keep, last: beats.last, user: beats.user });
      // In front of the header nothing moves.
      heldShifts.set(shifts.and(atLeast(number, headBeat)));
      heldHead.set(number.eq(headBeat));
    });

    const lane = (v: UInt, i: number): UInt => v.bits(8 * i, 8);
    const moved = lanesOf(held.data, beats.data, gbnBytes, beatBytes, 8);
    const kept = lanesOf(held.keep, mux(held.last, constant(0, beatBytes), beats.keep), gbnBytes, beatBytes, 1);
    const data = Array.from({ length: beatBytes }, (_, i) => {
      const stays = i < headLane ? heldShifts.not().or(heldHead) : heldShifts.not();
      return mux(stays, lane(held.data, i), lane(moved, i));
    });
    const keep = fromBits(
      Array.from({ length: beatBytes }, (_, i) => {
        const stays = i < headLane ? heldShifts.not().or(heldHead) : heldShifts.not();
        return mux(stays, held.keep.bit(i), kept.bit(i));
      }),
    );
    out.payload.set({
      data: cat(...data.reverse()).is(beatBytes * 8),
      keep,
      last: held.last.or(absorbs),
      user: mux(absorbs, beats.user, held.user.and(held.last)),
    });
    connect(stage(out, "full"), io.tx);
  },
);

/**
 * Puts the header in. One plan per frame, as in `GbnRemove`. Latency 1 cycle; initiation interval: one beat given per
 * cycle, no bubble between frames. A frame whose last beat has fewer than 8 bytes free is one beat longer. A shifted
 * frame reaches past byte 41.
 */
export const GbnInsert = module(
  "GbnInsert",
  (p: GbnShiftParameters) => ({
    plan: sink(InsertPlan),
    beats: sink(AxisBeat(p.beatBytes)),
    tx: source(AxisBeat(p.beatBytes)),
  }),
  (io, p) => {
    const { beatBytes } = p,
      headBeat = Math.floor(gbnOffset / beatBytes);
    const plan = io.plan.payload,
      beats = io.beats.payload;
    const index = reg(uint(counted(p)), { init: 0 });
    const before = reg(struct({ data: uint(gbnBytes * 8), keep: uint(gbnBytes) }));
    const flush = reg(bit, { init: 0 });
    const out = stream(AxisBeat(beatBytes));
    const discards = node(plan.action.eq(GbnAction.discard)),
      shifts = node(plan.action.eq(GbnAction.shift));
    const tail = beatBytes - gbnBytes;
    // The last beat has bytes that the next beat of the frame takes.
    const spills = node(shifts.and(beats.last).and(beats.keep.bit(tail)));
    out.valid.set(flush.or(io.beats.valid.and(io.plan.valid).and(discards.not())));
    io.beats.ready.set(flush.not().and(io.plan.valid).and(out.ready.or(discards)));
    const taken = node(io.beats.fire),
      gives = node(out.fire);
    when(taken, () =>
      before.set({ data: beats.data.bits(8 * tail, gbnBytes * 8), keep: beats.keep.bits(tail, gbnBytes) }),
    );
    when(taken.or(gives), () => flush.set(flush.not().and(spills)));
    const ends = node(mux(flush, gives, taken.and(beats.last).and(spills.not())));
    io.plan.ready.set(ends);
    when(ends, () => index.set(0)).elseWhen(gives, () => index.set(mux(index.all(), index, index.add(1))));

    const source = patched(
      beats.data,
      index,
      shifts,
      [{ at: ethernetHeader.at.dst.byteOffset, bytes: bytesOf(plan.mac) }, ...lengthPatches(plan)],
      beatBytes,
    );
    const behind = node(shifts.and(atLeast(index, headBeat)));
    const lane = (v: UInt, i: number): UInt => v.bits(8 * i, 8);
    const data = Array.from({ length: beatBytes }, (_, i) => {
      const shifted = i < gbnBytes ? lane(before.data, i) : lane(beats.data, i - gbnBytes);
      let value = mux(behind, shifted, lane(source, i));
      if (i < gbnOffset % beatBytes) value = mux(index.eq(headBeat), lane(source, i), value);
      // The header's own bytes.
      for (let h = 0; h < gbnBytes; h++) {
        const at = gbnOffset + h;
        if (at % beatBytes === i)
          value = mux(shifts.and(index.eq(Math.floor(at / beatBytes))), lane(plan.header, h), value);
      }
      return value;
    });
    const keep = fromBits(
      Array.from({ length: beatBytes }, (_, i) => {
        const own = beats.keep.bit(i);
        const shifted =
          i < gbnBytes ? mux(flush, before.keep.bit(i), constant(1, 1)) : beats.keep.bit(i - gbnBytes).and(flush.not());
        const head = i < gbnOffset % beatBytes ? index.eq(headBeat) : constant(0, 1);
        return mux(behind.or(flush).and(head.not()), shifted, own);
      }),
    );
    out.payload.set({
      data: cat(...data.reverse()).is(beatBytes * 8),
      keep,
      last: flush.or(beats.last.and(spills.not())),
      user: beats.user.and(flush.not()),
    });
    connect(
      stage(
        map(out, AxisBeat(beatBytes), v => v, {
          name: "whole",
        }),
        "full",
      ),
      io.tx,
    );
  },
);
