/** Frames from a line, which waits for nobody, into a store that may be full. */
import { bit, struct, type StructShape, uint, type UIntShape } from "../../types/shape.ts";
import type { Bit, StreamIn, Val } from "../../types/value.ts";
import { node, reg } from "../../build/declare.ts";
import { instance } from "../../build/module.ts";
import { when } from "../../build/statements.ts";
import { map } from "../../stream/stream.ts";
import { axisBeat, type AxisBeatShape } from "../axi/index.ts";
import { PacketFifo } from "../queues/index.ts";
import type { LineBeat } from "./frame.ts";

type Stored = StructShape<{
  readonly data: UIntShape;
  readonly keep: UIntShape;
  readonly last: UIntShape<1>;
  readonly drop: UIntShape<1>;
}>;
const stored = (bytes: number): Stored => struct({ data: uint(8 * bytes), keep: uint(bytes), last: bit, drop: bit });

/**
 * Good frames, whole; bad ones are dropped. A frame of which a beat finds no room is lost as a whole, and `overflow`
 * is 1 at its end if it was good. What is in the store of it goes at the next cycle with room; a frame that comes
 * until then is lost, too. A frame of more than `depth` beats is lost.
 */
export function receiveStore(
  beat: Val<LineBeat>,
  bytes: number,
  depth: number,
): { readonly frames: StreamIn<AxisBeatShape>; readonly overflow: Bit } {
  const store = instance(
    "received_frames",
    PacketFifo({ shape: stored(bytes), depth, last: "last", drop: "drop", style: "block" }),
  );
  // Of the frame that comes in: some of it is stored; a beat of it was lost. An end is owed to the store.
  const began = reg(bit, { init: 0, name: "frame_began" }),
    lost = reg(bit, { init: 0, name: "frame_lost" }),
    owes = reg(bit, { init: 0, name: "end_owed" });
  const wants = node(beat.valid.andNot(lost.or(owes)), { name: "beat_wants" }),
    stores = node(wants.and(store.push.ready), { name: "beat_stores" }),
    misses = node(beat.valid.andNot(stores), { name: "beat_misses" });
  store.push.valid.set(owes.or(wants));
  store.push.payload.set({
    data: beat.data,
    keep: beat.keep,
    last: owes.or(beat.last),
    drop: owes.or(beat.bad),
  });
  when(stores, () => began.set(beat.last.not()));
  when(misses, () => {
    lost.set(beat.last.not());
    began.set(0);
  });
  when(owes.and(store.push.ready), () => owes.set(0));
  when(misses.and(began), () => owes.set(1));
  const frames = map(store.pop, axisBeat(bytes), v => ({ data: v.data, keep: v.keep, last: v.last }), {
    name: "stored",
  });
  // A frame that fills the store alone is taken to its end, and dropped there.
  const tooLong = node(store.dropped.andNot(owes).andNot(beat.bad), { name: "too_long" });
  return { frames, overflow: misses.and(beat.last).andNot(beat.bad).or(tooLong) };
}
