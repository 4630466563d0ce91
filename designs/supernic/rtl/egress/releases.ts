import {
  arbiter,
  bit,
  constant,
  input,
  module,
  mux,
  node,
  output,
  ram,
  reg,
  sink,
  source,
  stage,
  struct,
  uint,
} from "../../../../hdl-dsl/index.ts";
import { ctxBits, payloadCellBits, Released } from "../inside/index.ts";
import { FirstCell } from "../store/index.ts";
import type { EgressParameters } from "./ports.ts";
import { cellsOfBeats, Holds } from "./records.ts";

/**
 * Gives back what packets hold: contexts to the header store, cells to the packet store, and both to the merge's
 * accounts. `left` are packets whose frames have been read, `dropped` those that were dropped before they had a list,
 * `cleared` those that were dropped from one: round robin. Latency 1, initiation interval 1. Full: all wait while
 * `cells` does. Reset: none is under way.
 */
export const Releases = module(
  "Releases",
  (p: EgressParameters) => ({
    left: sink(uint(ctxBits(p))),
    dropped: sink(uint(ctxBits(p))),
    cleared: sink(uint(ctxBits(p))),
    /** What a packet holds, when it comes. */
    note: input(struct({ en: bit, ctx: uint(ctxBits(p)), holds: Holds(p) })),
    release: output(struct({ valid: bit, ctx: uint(ctxBits(p)) })),
    cells: source(FirstCell(p)),
    released: output(Released(p)),
  }),
  (io, p) => {
    const holds = ram(Holds(p), { depth: p.contexts, collision: "undefined", style: "distributed" });
    holds.write(io.note.en, io.note.ctx, io.note.holds);
    const next = stage(arbiter([io.left, io.dropped, io.cleared], { name: "releases" }), "forward", {
      name: "releasing",
    });
    const { user, firstCell, beats } = holds.readAsync(next.payload),
      hasCells = node(beats.any(), { name: "has_cells" }),
      goes = node(next.valid.and(hasCells.not().or(io.cells.ready)), { name: "is_released" });
    io.cells.valid.set(next.valid.and(hasCells));
    io.cells.payload.set({ first: firstCell });
    next.ready.set(goes);
    io.release.set({ valid: goes, ctx: next.payload });
    // A cycle later: not before the context is free.
    const released = reg(Released(p), { init: { valid: 0 }, name: "released_q" });
    released.set({
      valid: goes,
      user,
      cells: mux(hasCells, cellsOfBeats(p, beats), constant(0, payloadCellBits(p))),
    });
    io.released.set(released);
  },
  { nameOf: p => `Releases_c${p.contexts}_k${p.cells}_f${p.frameBytes}` },
);
