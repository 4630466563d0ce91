/** The arenas that there are, by their addresses, and the largest free block of each. */
import {
  bit,
  type Bit,
  cat,
  constant,
  firstSet,
  fromBits,
  mux,
  node,
  ram,
  reg,
  uint,
  type UInt,
  unpack,
  vec,
} from "../../../../hdl-dsl/index.ts";
import { type ArenaShape, digitBits } from "./free-map.ts";
import { classCount, type KvParameters, slabUnits } from "./parameters.ts";

/** Arenas whose addresses are known, at most: 16 GB in arenas of 4 MB. */
const arenasKnown = 4096;
/** What is written about an arena of which nothing is taken: that it is there, and 0. */
export const emptyDigit = 2 ** (digitBits - 1);
/** Arenas whose digits are one word. */
const together = 16,
  togetherBits = Math.log2(together);
const unitBitsOfSlab = Math.log2(slabUnits);

/** Of few bits: a LUT compares them, where a sum would begin a chain of carries. */
const isAtMost = (a: UInt, b: UInt): Bit =>
  Array.from({ length: a.width }, (_, i) => i).reduce(
    (below: Bit, i) => mux(a.bit(i).eq(b.bit(i)), below, b.bit(i)),
    constant(1, 1),
  );

/**
 * An arena goes by the number of the piece of address space that it begins in, of pieces as large as an arena: no two
 * begin in one. A block belongs to the arena that begins in its own piece, or else in the one before. For each arena
 * there are 4 bits, that it is there and its digit, and where it begins in its piece.
 *
 * @param kind the class that is wanted; it has to stand for a cycle before `fits`.
 */
export function directory(p: KvParameters, { slabBits, unitBits }: ArenaShape, kind: UInt) {
  const pieces = 2 ** Math.ceil(Math.log2((p.regions * 2 ** 30) / p.arenaBytes)),
    known = Math.max(2 * together, Math.min(arenasKnown, pieces)),
    bits = Math.log2(known);
  const digits = ram(uint(together * digitBits), { depth: known / together, collision: "undefined" });
  const offsets = ram(uint(slabBits), { depth: known, collision: "undefined" });
  const number = reg(uint(bits), { init: 0 }),
    offset = reg(uint(slabBits)),
    digit = reg(uint(digitBits));
  const isBefore = reg(bit),
    inRange = reg(bit),
    untouched = reg(bit),
    covers = reg(bit);
  const wordNumber = node(number.bits(togetherBits, bits - togetherBits));
  const word = node(digits.readSync(wordNumber)),
    offsetHere = node(offsets.readSync(number));
  const words = unpack(vec(uint(digitBits), together), word);
  const here = node(words.at(number.trunc(togetherBits)));
  // The class stands while arenas are looked at, so the largest digit that fits comes from a register.
  const limit = reg(uint(digitBits - 1));
  limit.set(constant(classCount, digitBits - 1).sub(kind));
  const fitting = node(
    fromBits(words.toArray().map(w => w.bit(digitBits - 1).and(isAtMost(w.trunc(digitBits - 1), limit)))),
  );
  const numberOf = (block: UInt): UInt => block.bits(unitBits, bits),
    slabOf = (block: UInt): UInt => block.bits(unitBitsOfSlab, slabBits),
    isOutside = (block: UInt): Bit => block.bits(unitBits + bits, block.width - unitBits - bits).any();

  return {
    bits,
    number,
    offset,
    /** Nothing of the arena that was chosen was taken. */
    untouched,
    /** What is written about the arena. */
    digit,
    /** Bits of a slab's number, and that of the arena's first. */
    slabNumberBits: bits + slabBits,
    firstSlab: node(cat(number, offset), { name: "first_slab" }),
    second: isBefore,
    /** The word at hand is the last one. */
    last: node(wordNumber.eq(known / together - 1)),
    first: (): void => number.set(0),
    next: (): void => number.set(number.add(together)),
    at(block: UInt): void {
      number.set(numberOf(block));
      inRange.set(isOutside(block).not());
      isBefore.set(0);
    },
    before(): void {
      number.set(number.sub(1));
      isBefore.set(1);
    },
    keepOffset: (): void => offset.set(offsetHere),
    begins: (block: UInt): void => offset.set(slabOf(block)),
    isOutside,
    /** `covers` says in the next cycle whether the block is the arena's. */
    judge: (block: UInt): void =>
      covers.set(
        here
          .bit(digitBits - 1)
          .and(inRange)
          .and(isBefore.or(offsetHere.le(slabOf(block)))),
      ),
    covers,
    fits: fitting.any(),
    lookUntouched: (): void => untouched.set(here.eq(emptyDigit)),
    /** To the arena that fits, or, when none does, to the first of the next word. */
    goOn(): void {
      const { index, any } = firstSet(fitting);
      number.set(cat(mux(any, wordNumber, wordNumber.add(1)), index));
    },
    writeDigits(clears: Bit, notes: Bit): void {
      const own = number.trunc(togetherBits);
      const renewed = words.toArray().map((w, i) => mux(own.eq(i), digit, w));
      const none = constant(0, together * digitBits);
      digits.write(clears.or(notes), wordNumber, mux(clears, none, cat(...renewed.reverse())));
    },
    writeOffset: (begins: Bit, block: UInt): void => offsets.write(begins, numberOf(block), slabOf(block)),
  };
}
export type Directory = ReturnType<typeof directory>;
