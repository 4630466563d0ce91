import {
  bit,
  type Bit,
  constant,
  mux,
  node,
  priority,
  reg,
  uint,
  type UInt,
  type Val,
} from "../../../../hdl-dsl/index.ts";
import { payloadCellBits, payloadCells } from "../inside/index.ts";
import type { Took } from "./accounts.ts";
import { loopContexts, type MergeParameters } from "./ports.ts";
import { atLeast, blindTakes } from "./records.ts";

/** Whether contexts and cells are free: for several of the longest frames of all inlets, or for one. */
export interface Room {
  readonly plenty: Bit;
  readonly arrival: Bit;
  readonly arrivalCells: UInt;
  readonly loop: Bit;
  readonly loopCells: UInt;
}
/** What the frames that have been taken do to the stores. */
interface Using {
  readonly took: Val<ReturnType<typeof Took>>;
  /** A header enters; the first beat of a cell is written. */
  readonly enters: Bit;
  readonly beginsCell: Bit;
}

/** Its value so many cycles ago. */
function ago(name: string, value: Bit, cycles: number): Bit {
  let v = value;
  for (let i = 1; i <= cycles; i++) {
    const before = reg(bit, { init: 0, name: `${name}_${i}` });
    before.set(v);
    v = before;
  }
  return v;
}

/**
 * Contexts and cells that are free and not meant for a frame on its way. `free` of the stores shows what they give out
 * some cycles later, so it stays counted here for as long. A take shows 2 cycles later.
 */
export function roomOf(
  p: MergeParameters,
  free: { readonly contexts: UInt; readonly cells: UInt },
  { took, enters, beginsCell }: Using,
): Room {
  const seenLate = 3,
    contextBits = free.contexts.width + 1,
    cellBits = free.cells.width + 1,
    longest = payloadCells(p);
  const contextsOut = reg(uint(contextBits), { init: 0, name: "contexts_on_their_way" }),
    cellsOut = reg(uint(cellBits), { init: 0, name: "cells_on_their_way" });
  const hasEntered = ago("entered", enters, seenLate),
    hasBegun = ago("began_cell", beginsCell, seenLate),
    more = mux(took.valid, took.cells, constant(0, took.cells.width));
  contextsOut.set(contextsOut.add(took.valid.zext(contextBits)).sub(hasEntered.zext(contextBits)));
  cellsOut.set(cellsOut.add(more.zext(cellBits)).sub(hasBegun.zext(cellBits)));

  const contexts = node(free.contexts.zext(contextBits).sub(contextsOut), { name: "contexts_left" }),
    cells = node(free.cells.zext(cellBits).sub(cellsOut), { name: "cells_left" });
  // One that stands in both is subtracted twice for a while, so that there may seem to be fewer than none.
  const most = (left: UInt): UInt =>
    priority(
      [left.bit(left.width - 1), constant(0, payloadCellBits(p))],
      [left.gt(longest), constant(longest, payloadCellBits(p))],
      left.resize(payloadCellBits(p)),
    );
  const kept = <W extends number>(name: string, value: UInt<W>): UInt<W> => {
    const q = reg(uint(value.width), { init: 0, name });
    q.set(value);
    return q;
  };
  return {
    plenty: kept(
      "room_plenty",
      atLeast(contexts, loopContexts + blindTakes).and(atLeast(cells, (blindTakes + 1) * longest)),
    ),
    arrival: kept("room_for_arrival", atLeast(contexts, loopContexts + 1)),
    arrivalCells: kept("room_cells_for_arrival", most(node(cells.sub(longest), { name: "cells_left_behind" }))),
    loop: kept("room_for_loop", atLeast(contexts, 1)),
    loopCells: kept("room_cells_for_loop", most(cells)),
  };
}
