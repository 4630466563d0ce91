import {
  arbiter,
  assertAlways,
  connect,
  Fifo,
  input,
  instance,
  module,
  output,
  source,
  uint,
} from "../../../../hdl-dsl/index.ts";
import { CellList } from "../store/index.ts";
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
      drops = instance("drops", Fifo({ shape: uint(bits), depth: p.beats, style: "block" }));
    list.back.set({ valid: io.given.valid, cell: io.given.beat });
    drops.push.valid.set(io.dropped.valid);
    drops.push.payload.set(io.dropped.beat);
    assertAlways(io.dropped.valid.not().or(drops.push.ready), "the list of dropped beats has room for every one");

    connect(arbiter([drops.pop, list.offer], { policy: "priority", name: "chosen" }), io.offer);
    io.free.set(list.free.add(drops.level.zext(bits + 1)));
  },
  { nameOf: p => `BeatPool_b${p.beats}` },
);
