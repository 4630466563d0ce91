import {
  assertAlways,
  bit,
  type Bit,
  cat,
  constant,
  fromBits,
  mux,
  node,
  reg,
  toBits,
  uint,
  type UInt,
} from "../../../../hdl-dsl/index.ts";
import { pickOf } from "../../../shared/frame/index.ts";

/** How long a frame is, as far as it counts for whether a port has room for it. */
export const sizeBits = 2;
/** Beats of the sizes but the last, which is the longest frame. */
export interface Sizes {
  readonly beats: readonly [number, number, number];
  readonly longest: number;
}
/** A frame is chosen, for which ports, and of what size. */
interface Choice {
  readonly by: readonly Bit[];
  readonly size: UInt;
}
interface Moves {
  readonly chosen: Choice;
  /** A frame that is chosen late in the cycle, never beside one of `chosen` for the same port. Its size is not late. */
  readonly passing?: Choice;
  /** By port, the first beat of a frame goes there, which was chosen with `begunSize`. Late in the cycle. */
  readonly begins: readonly Bit[];
  readonly begunSize: UInt;
}

/** Whether a longest frame has no room for the smallest ones that may be chosen before it is known. */
export const isSmallAlone = (sizes: Sizes, blind: number): boolean => sizes.longest < (blind + 1) * sizes.beats[0];

/** Bits of a value that is compared with a number in one lookup table. */
const compareBits = 6;
/** `value <= most`; of a wider value as logic of its bits: a carry chain would be one piece more on the way. */
function isAtMost(value: UInt, most: number): Bit {
  if (value.width <= compareBits) return value.le(most);
  const wants = BigInt(most);
  return toBits(value).reduce<Bit>(
    (low, b, i) => ((wants >> BigInt(i)) & 1n ? low.or(b.not()) : low.andNot(b)),
    constant(1, 1),
  );
}

/** A number of a table, as it wraps; so one that is less than 0 can be added. */
const wrapped = (which: UInt, values: readonly number[], width: number): UInt =>
  pickOf(
    which,
    values.map(v => constant(BigInt.asUintN(width, BigInt(v)), width)),
  );

/** The beats when a frame is chosen; and when one begins, too. `by`: whether one is chosen; left out, one is. */
function sumsOf(beats: UInt, { beats: few, longest }: Sizes, begunSize: UInt, size: UInt, by?: Bit): Sums {
  const all = [...few, longest],
    more = by === undefined ? all : [...all.map(() => 0), ...all],
    which = by === undefined ? size : cat(by, size);
  return {
    stays: beats.add(wrapped(which, more, beats.width)),
    falls: beats.add(
      wrapped(
        cat(begunSize, which),
        all.flatMap(less => more.map(n => n - less)),
        beats.width,
      ),
    ),
  };
}
interface Sums {
  readonly stays: UInt;
  readonly falls: UInt;
}

/**
 * Whether one more frame may be chosen for a port, by size and port: together with those that have been chosen and have
 * not begun there it has no more beats than one longest frame, which is what a port's `room` promises. A choice shows a
 * cycle later. So while others may have been chosen, only the smallest may be, for which `blind` more are counted in;
 * where `isSmallAlone`, not even these. Registers: what comes late in a cycle only chooses between sums that are there.
 */
export function promises(sizes: Sizes, ports: number, blind: number, moves: Moves): readonly UInt[] {
  const { longest } = sizes,
    { chosen, passing, begins, begunSize } = moves,
    width = Math.ceil(Math.log2(longest + 1)) + 1,
    none = constant(0, 1).bit(0);
  const smallAlone = isSmallAlone(sizes, blind),
    most = [...sizes.beats, longest].map((n, i) =>
      Math.max(0, longest - (i === 0 && !smallAlone ? (blind + 1) * n : n)),
    );
  const fits = Array.from({ length: ports }, (_, q) => {
    const beats = reg(uint(width), { init: 0, name: `promised_${q}` }),
      begun = node(begins[q] ?? none, { name: `begun_${q}` }),
      passes = passing?.by[q] ?? none,
      isChosen = node(chosen.by[q] ?? none, { name: `chosen_for_${q}` }),
      usual = sumsOf(beats, sizes, begunSize, chosen.size, isChosen),
      late = passing === undefined ? usual : sumsOf(beats, sizes, begunSize, passing.size);
    if (passing !== undefined) assertAlways(passes.and(isChosen).not(), `one frame is chosen for port ${q} in a cycle`);
    beats.set(mux(passes, mux(begun, late.falls, late.stays), mux(begun, usual.falls, usual.stays)));
    return most.map((n, i) => {
      const fit = reg(bit, { init: 1, name: `fits_${q}_${i}` }),
        is = (sum: UInt): Bit => isAtMost(sum, n);
      fit.set(mux(passes, mux(begun, is(late.falls), is(late.stays)), mux(begun, is(usual.falls), is(usual.stays))));
      assertAlways(fit.eq(beats.le(n)), `port ${q} has room for frames of size ${i} as its beats say`);
      return fit;
    });
  });
  return most.map((_, i) => fromBits(fits.map(f => f[i] as Bit)));
}
