import { bit, type Bit, cat, node, reg, uint, type UInt, when } from "../../../../hdl-dsl/index.ts";
import { drfFormat as f } from "../../config/index.ts";
import type { DrfParameters } from "./parameters.ts";

interface Told {
  readonly need: { readonly valid: Bit; readonly user: UInt; readonly level: UInt };
  /** Users whose demand counts. */
  readonly bound: UInt;
  /** The level has risen by `delta`. */
  readonly check: Bit;
  readonly delta: UInt;
  /** A step begins; a digit of it is found. */
  readonly begin: Bit;
  readonly step: Bit;
  /** For each digit from 1 on: the one that is found is at least that. */
  readonly reaches: readonly Bit[];
}
/** A user's way to its demand. */
export interface Need {
  /** It is there. */
  readonly met: Bit;
  /** For each digit from 1 on: the user lets the level rise by as much. */
  readonly allows: readonly Bit[];
}

/**
 * The level that each user lacks until it has its demand. While a step is found its digits come round, the highest
 * first: behind the last they stand as before. A user that had room for a larger digit than was found has room for
 * whatever follows. What it allows is known a cycle before it is asked for, so that all can be asked at once.
 */
export function needsOf(p: DrfParameters, o: Told): readonly Need[] {
  const shift = p.digitBits,
    digits = o.reaches.map((_, k) => k + 1);
  return Array.from({ length: p.users }, (_, i) => {
    const missing = reg(uint(f.levelBits), { name: `missing_${i}` }),
      above = reg(bit, { name: `above_${i}` }),
      allows = digits.map(d => reg(bit, { name: `allows_${i}_${d}` }));
    const digit = missing.bits(f.levelBits - shift, shift),
      rest = missing.trunc(f.levelBits - shift),
      following = rest.bits(rest.width - shift, shift),
      exceeds = digits.map((d, k) => digit.ge(d).andNot(o.reaches[k] as Bit)).reduce((a, b) => a.or(b)),
      unbound = node(o.bound.bit(i).not(), { name: `unbound_${i}` }),
      free = node(above.or(exceeds), { name: `free_${i}` });
    when(o.need.valid.and(o.need.user.eq(i)), () => missing.set(o.need.level.is(f.levelBits)))
      .elseWhen(o.check, () => missing.set(missing.sub(o.delta.is(f.levelBits))))
      .elseWhen(o.step, () => missing.set(cat(rest, digit).is(f.levelBits)));
    when(o.begin, () => {
      above.set(unbound);
      allows.forEach((a, k) => a.set(digit.ge(digits[k] as number).or(unbound)));
    }).elseWhen(o.step, () => {
      above.set(free);
      allows.forEach((a, k) => a.set(following.ge(digits[k] as number).or(free)));
    });
    return { met: missing.any().not(), allows };
  });
}
