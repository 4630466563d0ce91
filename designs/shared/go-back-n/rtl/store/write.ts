/** To memory. */
import {
  assertAlways,
  bit,
  cat,
  constant,
  Fifo,
  instance,
  mux,
  node,
  reg,
  stage,
  uint,
  when,
} from "../../../../../hdl-dsl/index.ts";
import type { Lengths } from "./lengths.ts";
import { type GbnStoreParameters, type StoreIo, writtenBits } from "./ports.ts";
import { burstOf, runOf } from "./runs.ts";

/** @param lengths of the frames, by place */
export function writeFrames(io: StoreIo, p: GbnStoreParameters, lengths: Lengths): void {
  const burstBits = Math.log2(burstOf(p));
  const place = io.place.payload,
    writtenPlace = node(cat(place.at.session, place.at.place));
  const pending = instance("pending", Fifo({ shape: bit, depth: 64, style: "distributed" }));
  const awTaken = node(io.aw.fire);
  const writes = runOf(p, "write", { start: io.place.fire, place: writtenPlace, bytes: place.bytes, taken: awTaken });
  io.place.ready.set(writes.running.not().or(awTaken.and(writes.final)));
  lengths.write(io.place.fire, writtenPlace, place.bytes);
  // Room can only come while an address waits, so it stays.
  io.aw.valid.set(writes.running.and(pending.push.ready));
  io.aw.payload.set(writes.address);
  pending.push.valid.set(awTaken);
  pending.push.payload.set(writes.final);
  const beat = reg(uint(burstBits), { init: 0 });
  const beats = p.direct === true ? io.beats : stage(io.beats, "full");
  io.w.valid.set(beats.valid);
  io.w.payload.set({ data: beats.payload.data, strb: beats.payload.keep, last: beats.payload.last.or(beat.all()) });
  beats.ready.set(io.w.ready);
  when(io.w.fire, () => beat.set(mux(beats.payload.last, constant(0, burstBits), beat.add(1))));
  const written = reg(uint(writtenBits), { init: 0 });
  io.b.ready.set(1);
  pending.pop.ready.set(io.b.valid);
  when(io.b.fire.and(pending.pop.payload), () => written.set(written.add(1)));
  when(io.b.valid, () => assertAlways(pending.pop.valid, "an answer (B) belongs to a burst that was issued"));
  io.written.set(written);
}
