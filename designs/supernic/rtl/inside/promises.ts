import { type Bit, constant, fromBits, mux, node, onehotMux, reg, uint, type UInt } from "../../../../hdl-dsl/index.ts";

/** How long a frame is, as far as it counts for whether a port has room for it. */
export const sizeBits = 2;
/** Beats of the sizes but the last, which is the longest frame. */
export interface Sizes {
  readonly beats: readonly [number, number, number];
  readonly longest: number;
}
/** The size of a frame of so many beats. */
export const sizeOf = ({ beats }: Sizes, count: UInt): UInt => {
  const [small, some, more] = beats.map(n => count.gt(n)) as [Bit, Bit, Bit];
  return fromBits([mux(some, more, small), some]).is(sizeBits);
};
/** Its beats, at most. */
export const beatsOfSize = ({ beats, longest }: Sizes, size: UInt): UInt => {
  const all = [...beats, longest],
    width = Math.ceil(Math.log2(longest + 1));
  return onehotMux(
    all.map((_, i) => size.eq(i)),
    all.map(n => constant(n, width)),
  );
};

interface Moves {
  /** A frame of this size is chosen for these ports. */
  readonly chosen: Bit;
  readonly to: UInt;
  readonly size: UInt;
  /** By port, the first beat of a frame goes there, which was chosen with `begunSize`. */
  readonly begins: readonly Bit[];
  readonly begunSize: UInt;
}

/** Whether a longest frame has no room for the smallest ones that may be chosen before it is known. */
export const isSmallAlone = (sizes: Sizes, blind: number): boolean => sizes.longest < (blind + 1) * sizes.beats[0];

/**
 * Whether one more frame may be chosen for a port, by size and port: together with those that have been chosen and have
 * not begun there it has no more beats than one longest frame, which is what a port's `room` promises. A choice shows a
 * cycle later. So while others may have been chosen, only the smallest may be, for which `blind` more are counted in;
 * where `isSmallAlone`, not even these.
 */
export function promises(sizes: Sizes, ports: number, blind: number, moves: Moves): readonly UInt[] {
  const { longest } = sizes,
    width = Math.ceil(Math.log2(longest + 1)) + 1,
    more = beatsOfSize(sizes, moves.size),
    less = beatsOfSize(sizes, moves.begunSize);
  const smallAlone = isSmallAlone(sizes, blind),
    most = [...sizes.beats, longest].map((n, i) => longest - (i === 0 && !smallAlone ? (blind + 1) * n : n));
  const fits = Array.from({ length: ports }, (_, q) => {
    const beats = reg(uint(width), { init: 0, name: `promised_${q}` }),
      adds = mux(moves.chosen.and(moves.to.bit(q)), more.zext(width), constant(0, width)),
      begun = mux(moves.begins[q] ?? constant(0, 1), less.zext(width), constant(0, width));
    beats.set(beats.add(adds).sub(begun));
    return most.map((n, i) => node(beats.le(Math.max(0, n)), { name: `fits_${q}_${i}` }));
  });
  return most.map((_, i) => fromBits(fits.map(f => f[i] as Bit)));
}
