/** The line of an arena that is at hand: a group's, or the arena's summary. */
import { bit, bitsFor, node, reg, uint } from "../../../../../hdl-dsl/index.ts";
import type { Directory } from "../arenas.ts";
import { freeLine, mostPicks } from "../free-line.ts";
import type { ArenaShape } from "../free-map.ts";
import { slabUnits } from "../parameters.ts";
import type { Stock } from "./stock.ts";

/** Bits of a unit's number in its slab. */
export const unitBitsOfSlab = Math.log2(slabUnits);

export function visitOf(shape: ArenaShape, { home, taking, kind }: Stock, arenas: Directory) {
  const summary = reg(bit),
    survey = reg(bit),
    wanted = reg(uint(bitsFor(mostPicks)));
  const slab = node(home.bits(unitBitsOfSlab, shape.slabBits).sub(arenas.offset).trunc(shape.slabBits));
  // Where it lies is known long before its group is read.
  const givenWord = reg(uint(4));
  givenWord.set(slab.zext(11).trunc(4));
  const givenUnit = home.trunc(unitBitsOfSlab);
  return {
    /** The line is the arena's summary; it is only searched. */
    summary,
    survey,
    /** Blocks that are wanted of it. */
    wanted,
    /** Slab of the arena that the block at hand lies in. */
    slab,
    line: freeLine(shape, { summary, taking, kind, wanted, givenWord, givenUnit }),
  };
}
