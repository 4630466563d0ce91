import {
  type Bit,
  bit,
  connect,
  input,
  instance,
  module,
  mux,
  node,
  output,
  reg,
  source,
  stage,
  stream,
  uint,
  when,
} from "../../../../hdl-dsl/index.ts";
import { BackList } from "./back-list.ts";
import { cellBits, FreedCell, type StoreParameters } from "./records.ts";

/**
 * The free cells. `offer` gives one after the other from a register, one a cycle; what comes back is queued behind all
 * that is free. `free` counts them, those on offer too, a cycle late. None free: `offer.valid` is 0. Reset: all are
 * free, and nothing is written for it: the cells that were never given out are a counter.
 * Latency: a cell that comes back to an empty list is on offer 2 cycles later. A cell that comes back must be out.
 */
export const CellList = module(
  "CellList",
  (p: Pick<StoreParameters, "cells">) => ({
    offer: source(uint(cellBits(p))),
    back: input(FreedCell(p)),
    free: output(uint(cellBits(p) + 1)),
  }),
  (io, p) => {
    const bits = cellBits(p);
    const fresh = reg(uint(bits + 1), { init: 0 });
    const used = instance("used", BackList({ cells: p.cells }));
    used.back.set(io.back);

    // Its ready is a register: who takes a cell is known late in the cycle.
    const next = stream(uint(bits), { name: "next" }),
      isFresh: Bit = node(fresh.bit(bits).not());
    next.valid.set(isFresh.or(used.next.valid));
    next.payload.set(mux(isFresh, fresh.trunc(bits), used.next.payload));
    used.next.ready.set(next.ready.andNot(isFresh));
    when(isFresh.and(next.ready), () => fresh.set(fresh.add(1)));
    connect(stage(next, "full", { name: "offered" }), io.offer);

    const free = reg(uint(bits + 1), { init: p.cells }),
      went = reg(bit, { init: 0 }),
      came = reg(bit, { init: 0 });
    went.set(io.offer.fire);
    came.set(io.back.valid);
    when(went.andNot(came), () => free.set(free.sub(1))).elseWhen(came.andNot(went), () => free.set(free.add(1)));
    io.free.set(free);
  },
);
