/** The beats of a way's writes, from the task to the bus, or to nowhere. */
import {
  type Bit,
  cat,
  constant,
  fifoWithLevel,
  mux,
  node,
  reg,
  stream,
  type UInt,
  when,
} from "../../../../../hdl-dsl/index.ts";
import { MemoryPut } from "../../tasks/index.ts";
import { beatsBits, memoryBeatBytes, wayBeats } from "../records.ts";
import type { Access } from "./access.ts";
import { roomy } from "./bounds.ts";
import { Beats, laneBits, mostPieces, PutJob, type WayIo } from "./ports.ts";

/** What the way has to know of them: a job of so many beats begins, a beat comes, there is something. */
export interface Puts {
  readonly begins: Bit;
  readonly used: UInt;
  readonly comes: Bit;
  readonly some: Bit;
}
/** A piece's beats follow its address; those of one that is refused are thrown away, with all that belong to it. */
export function putsOf(io: WayIo, { at, rest, beats, lastLane, isWrite, mapped, refused, idle }: Access): Puts {
  const { off } = io;
  const puts = stream(MemoryPut, { name: "puts" });
  puts.valid.set(io.put.valid.andNot(off));
  puts.payload.set(io.put.payload);
  io.put.ready.set(puts.ready.or(off));
  const { out: data, level: kept } = fifoWithLevel(puts, wayBeats, { name: "put_beats", style: "distributed" });
  const writes = node(mapped.or(refused).and(isWrite), { name: "job_begins" }),
    used = node(mux(refused, rest, beats), { name: "job_beats" });
  const { out: job } = roomy("put_jobs", PutJob, mostPieces, writes, {
    beats: used,
    firstLane: at.trunc(laneBits),
    lastLane,
    drop: refused,
  });
  const done = reg(Beats, { init: 0, name: "put_done" }),
    isFirst = node(done.any().not(), { name: "put_is_first" }),
    isLast = node(done.add(1).eq(job.payload.beats), { name: "put_is_last" }),
    sends = node(job.valid.andNot(job.payload.drop), { name: "put_sends" });
  io.w.valid.set(sends.and(data.valid));
  io.w.payload.set({
    data: data.payload.data,
    strb: lanesFrom(mux(isFirst, job.payload.firstLane, constant(0, laneBits))).and(
      lanesTo(mux(isLast, job.payload.lastLane, constant(memoryBeatBytes - 1, laneBits))),
    ),
    last: isLast,
  });
  const moves = node(data.valid.and(job.valid).and(job.payload.drop.or(io.w.ready)), { name: "put_moves" });
  // What nobody will send goes away with the task.
  data.ready.set(mux(job.valid, job.payload.drop.or(io.w.ready), off.and(idle)));
  job.ready.set(moves.and(isLast));
  when(moves, () => done.set(mux(isLast, constant(0, beatsBits), done.add(1))));
  return {
    begins: writes,
    used,
    comes: node(puts.fire, { name: "put_comes" }),
    some: node(job.valid.or(kept.any()), { name: "put_some" }),
  };
}
/** Lanes from this one on, and up to this one; the last lane, and the first, are in any case. */
const lanesFrom = (first: UInt): UInt => lanes(i => (i === memoryBeatBytes - 1 ? constant(1, 1) : first.le(i))),
  lanesTo = (last: UInt): UInt => lanes(i => (i === 0 ? constant(1, 1) : last.ge(i)));
const lanes = (is: (i: number) => Bit): UInt =>
  cat(...Array.from({ length: memoryBeatBytes }, (_, i) => is(i)).toReversed());
