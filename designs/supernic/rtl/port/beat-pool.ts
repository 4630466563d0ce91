import {
  arbiter,
  bit,
  connect,
  input,
  instance,
  module,
  output,
  reg,
  source,
  stage,
  uint,
  type UInt,
} from "../../../../hdl-dsl/index.ts";
import { BackList, CellList } from "../store/index.ts";
import { beatIndexBits, FreedBeat, type QueueParameters } from "./records.ts";

/**
 * The free beats of a port's buffer. Two can come back in a cycle: from a frame that is given out, and from one that is
 * not kept. Each has a list of its own; those that were not kept are given out first. `free` counts them, a cycle late.
 * Latency: a beat that comes back to empty lists is on offer 2 cycles later. Initiation interval 1. None free:
 * `offer.valid` is 0. Reset: all are free.
 */
export const BeatPool = module(
  "BeatPool",
  (p: QueueParameters) => ({
    offer: source(uint(beatIndexBits(p))),
    given: input(FreedBeat(p)),
    dropped: input(FreedBeat(p)),
    free: output(uint(beatIndexBits(p) + 1)),
  }),
  (io, p) => {
    const bits = beatIndexBits(p),
      list = instance("list", CellList({ cells: p.beats })),
      drops = instance("drops", BackList({ cells: p.beats }));
    list.back.set({ valid: io.given.valid, cell: io.given.beat });
    drops.back.set({ valid: io.dropped.valid, cell: io.dropped.beat });

    // Both have a register for their ready: who takes a beat is known late in the cycle.
    const dropped = stage(drops.next, "full", { name: "dropped_offer" });
    connect(arbiter([dropped, list.offer], { policy: "priority", name: "chosen" }), io.offer);

    const free = reg(uint(bits + 1), { init: p.beats, name: "free_beats" }),
      events = [io.given.valid, io.dropped.valid, io.offer.fire].map((event, i) => {
        const q = reg(bit, { init: 0, name: `moved_${i}` });
        q.set(event);
        return q.zext(bits + 1);
      }),
      [given, notKept, taken] = events as [UInt, UInt, UInt];
    free.set(free.add(given.add(notKept)).sub(taken));
    io.free.set(free);
  },
  { nameOf: p => `BeatPool_b${p.beats}` },
);
