/**
 * Which units of an arena are free, as it stands in the arena itself. The first unit is the summary, a digit of 4 bits
 * for each group of 16 slabs; then comes a line of 64 bytes for each group, a bit for each unit of its slabs. A set bit
 * is a unit that is taken. The units that hold all this count as taken and have no set bit, so that fresh memory, all
 * zero, says that everything is free.
 */
import {
  type Bit,
  cat,
  constant,
  decode,
  mux,
  node,
  onehotMux,
  orTree,
  priority,
  repeat,
  type UInt,
} from "../../../../hdl-dsl/index.ts";
import { classCount, type KvParameters, slabUnits, unitBytes, unitShift } from "./parameters.ts";

/** Slabs whose units are one line; digits of the summary that are looked at in a cycle. */
const slabsOfGroup = 16;
export const digitBits = 4,
  wordBits = 32,
  digitsOfWord = wordBits / digitBits;
/** Words of a line, and of the summary. */
export const lineWords = (unitBytes * 8) / wordBits;

/** What an arena is made of. */
export interface ArenaShape {
  readonly slabs: number;
  readonly groups: number;
  /** Units at its beginning that say what is free. */
  readonly reserved: number;
  /** Bits of a slab's number, and of a unit's. */
  readonly slabBits: number;
  readonly unitBits: number;
}
export function arenaShape(p: Pick<KvParameters, "arenaBytes">): ArenaShape {
  const slabs = p.arenaBytes / (unitBytes * slabUnits),
    groups = Math.ceil(slabs / slabsOfGroup);
  return {
    slabs,
    groups,
    reserved: groups + 1,
    slabBits: Math.log2(slabs),
    unitBits: Math.log2(p.arenaBytes) - unitShift,
  };
}

/**
 * Digit of a group or an arena: 0 when all of it is free, else 1 when it has a free slab, 2 when its largest free block
 * is half a slab, and so on to 6; 7 when nothing is free. A block of class c is in it when the digit is at most
 * `6 - c`.
 */
export const full = 7,
  largestDigit = classCount;
/** The digit, from the classes of which there is a block. */
export function digitOf(untouched: Bit, has: readonly Bit[]): UInt {
  const arms = [...has].reverse().map((h, i): [Bit, UInt] => [h, constant(i + 1, 3)]);
  return priority([untouched, constant(0, 3)], ...arms, constant(full, 3));
}

/** Units of a slab that count as taken whatever memory says. */
export function reservedOf({ slabs, reserved }: ArenaShape, firstGroup: Bit, word: UInt): UInt {
  const whole = Math.floor(reserved / slabUnits),
    rest = constant(2 ** (reserved % slabUnits) - 1, slabUnits);
  const all = repeat(constant(1, 1), slabUnits),
    none = constant(0, slabUnits);
  const own = priority([word.lt(whole), all], [word.eq(whole), rest], none);
  const first = mux(firstGroup, own, none);
  // The line of an arena of fewer than 16 slabs has words without a slab.
  return slabs < slabsOfGroup ? mux(word.ge(slabs), all, first) : first;
}

/** The free blocks of a slab: for each class a bit at the first unit of each. */
export function freeOf(taken: UInt, reserved: UInt): UInt[] {
  let runs: UInt = node(taken.or(reserved).not(), { name: "free_units" });
  const blocks = [runs];
  for (let c = 1; c < classCount; c++) {
    const below = runs;
    const pairs = Array.from({ length: below.width / 2 }, (_, i) => below.bit(2 * i).and(below.bit(2 * i + 1)));
    runs = node(cat(...pairs.reverse()), { name: `free_blocks_${c}` });
    blocks.push(runs);
  }
  return blocks;
}

/** The units of a slab that begin a block of `kind`, among these. */
export function beginsOf(blocks: readonly UInt[], kind: UInt): UInt {
  const spread = blocks.map((b, c) => {
    const gap = constant(0, 2 ** c - 1 || 1);
    const cells = Array.from({ length: b.width }, (_, i) => (c === 0 ? b.bit(i) : cat(gap, b.bit(i))));
    return cat(...cells.reverse());
  });
  return onehotMux(
    spread.map((_, c) => kind.eq(c)),
    spread,
  );
}

/** All units of the block of `kind` at `unit` of its slab. */
export function unitsOf(kind: UInt, unit: UInt): UInt {
  const masks = Array.from({ length: classCount }, (_, c) => {
    const of = c === classCount - 1 ? undefined : decode(unit.bits(c, unit.width - c), slabUnits / 2 ** c);
    return of === undefined
      ? repeat(constant(1, 1), slabUnits)
      : cat(...Array.from({ length: of.width }, (_, i) => repeat(of.bit(i), 2 ** c)).reverse());
  });
  return onehotMux(
    masks.map((_, c) => kind.eq(c)),
    masks,
  );
}

/** The digits of a word of the summary; those of groups that there are not are left out. */
export function digitsOf({ groups }: ArenaShape, summary: UInt): UInt[] {
  return Array.from({ length: Math.min(groups, digitsOfWord) }, (_, i) => summary.bits(i * digitBits, digitBits));
}
/** Which digits there are among some: bit d is set when one is d. */
export function digitsSeen(digits: readonly UInt[]): UInt {
  return cat(...Array.from({ length: full + 1 }, (_, d) => orTree(digits.map(x => x.eq(d)))).reverse());
}
/** The digit of an arena, from those of its groups. */
export function foldedDigit(seen: UInt): UInt {
  const has = Array.from({ length: classCount }, (_, c) => seen.bit(largestDigit - c));
  const hasSlab = node((has[classCount - 1] as Bit).or(seen.bit(0)));
  return digitOf(seen.bits(1, full).any().not(), [...has.slice(0, -1), hasSlab]);
}
