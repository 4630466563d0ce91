/** From memory: the length first. */
import {
  assertAlways,
  bit,
  cat,
  connect,
  instance,
  mux,
  node,
  PacketFifo,
  reg,
  uint,
  when,
} from "../../../../../hdl-dsl/index.ts";
import { AxisBeat, keepAll, keepTo } from "../../../frame/index.ts";
import { frameBeats } from "../frames.ts";
import type { Lengths } from "./lengths.ts";
import { type GbnStoreParameters, placeBitsOf, type StoreIo } from "./ports.ts";
import { beatsOf, countBitsOf, runOf } from "./runs.ts";

/** @param lengths of the frames, by place */
export function readFrames(io: StoreIo, p: GbnStoreParameters, lengths: Lengths) {
  const { beatBytes } = p,
    laneBits = Math.log2(beatBytes),
    most = frameBeats(p);
  const asked = reg(bit, { init: 0 });
  const coming = reg(bit, { init: 0 });
  const readPlace = reg(uint(placeBitsOf(p)));
  const length = lengths.readSync(node(cat(io.read.payload.session, io.read.payload.place)), { en: io.read.fire });
  const arTaken = node(io.ar.fire);
  const reads = runOf(p, "read", { start: asked, place: readPlace, bytes: length, taken: arTaken });
  /** Beats behind the next one; whether there are none comes from a register. */
  const behind = reg(uint(countBitsOf(p)));
  const last = reg(bit);
  const lastLane = reg(uint(laneBits));
  const bad = reg(bit, { init: 0 });
  const frames = instance(
    "frames",
    PacketFifo({
      shape: AxisBeat(beatBytes),
      depth: 2 ** Math.ceil(Math.log2(2 * most)),
      last: "last",
      drop: "user",
      style: "block",
    }),
  );
  const came = node(io.r.fire);
  const ends = node(came.and(last));
  // There is room for a largest frame beside one that waits, so `r` never has to wait.
  io.read.ready.set(coming.not().and(frames.packets.le(1)));
  asked.set(io.read.fire);
  when(io.read.fire, () => {
    coming.set(1);
    readPlace.set(cat(io.read.payload.session, io.read.payload.place));
  }).elseWhen(ends, () => coming.set(0));
  // Nothing comes before its address, which is asked for later.
  when(asked, () => {
    behind.set(beatsOf(p, length).sub(1));
    last.set(length.le(beatBytes));
    lastLane.set(length.sub(1).trunc(laneBits));
  }).elseWhen(came, () => {
    behind.set(behind.sub(1));
    last.set(behind.eq(1));
  });
  io.ar.valid.set(reads.running);
  io.ar.payload.set(reads.address);
  const failed = node(bad.or(io.r.payload.resp.any()));
  when(came, () => {
    bad.set(failed.and(last.not()));
  });
  io.r.ready.set(1);
  when(io.r.valid, () => assertAlways(frames.push.ready, "a frame that is read has room"));
  frames.push.valid.set(io.r.valid);
  frames.push.payload.set({
    data: io.r.payload.data,
    keep: mux(last, keepTo(lastLane, beatBytes), keepAll(beatBytes)),
    last,
    user: last.and(failed),
  });
  connect(frames.pop, io.frame);
  return {
    /** A frame is being read; its last beat comes in; it, or a beat before, has failed. */
    coming,
    ends,
    failed,
  };
}
