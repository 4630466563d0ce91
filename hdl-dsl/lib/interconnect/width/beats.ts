/** The beats of a narrow bus, one after the other, and where each stands in a beat of the wide bus. */
import { bit, struct, type StructShape, uint, type UIntShape } from "../../../types/shape.ts";
import type { Bit, StreamIn, UInt } from "../../../types/value.ts";
import { node, reg } from "../../../build/declare.ts";
import { mux, onehotMux, when } from "../../../build/statements.ts";
import { constant } from "../../../build/value.ts";

/** What both buses of a converter are. */
export interface Widths {
  readonly addressBits: number;
  readonly idBits: number;
  /** log2 of the bytes of a beat of the narrow bus. */
  readonly narrow: number;
  /** The same of the wide bus. */
  readonly wide: number;
  /** Bursts that may be under way, each way. */
  readonly outstanding: number;
}
/** The codes of a burst's kind. */
export const burstKind = { fixed: 0, incr: 1, wrap: 2 } as const;

/**
 * A burst as the narrow bus has it. Addresses are those within a wide beat.
 *
 * `low`: of its first byte. `below`: the bits below a beat's size. `mask`: the bits that count on; those of a WRAP
 * burst alone, none of a FIXED one. `fill`: ones but where the address must have ones in the last narrow beat of a wide
 * one. `len`: narrow beats less one. `final`: the last part of the burst that the master asked for, whose ID is `id`.
 */
export type Plan = StructShape<{
  readonly low: UIntShape;
  readonly below: UIntShape;
  readonly mask: UIntShape;
  readonly fill: UIntShape;
  readonly len: UIntShape<8>;
  readonly final: UIntShape<1>;
  readonly id: UIntShape;
}>;
/** Its shape. */
export const planOf = (w: Widths): Plan => {
  const low = uint<number>(w.wide);
  return struct({ low, below: low, mask: low, fill: low, len: uint(8), final: bit, id: uint<number>(w.idBits) });
};
/** The value for each size of a beat from 2^from to 2^to bytes. */
export const bySize = (size: UInt<3>, from: number, to: number, value: (k: number) => UInt): UInt => {
  const sizes = Array.from({ length: to - from + 1 }, (_, i) => from + i);
  return sizes.length === 1
    ? value(from)
    : onehotMux(
        sizes.map(k => size.eq(k)),
        sizes.map(value),
      );
};

/** The narrow beat that is next. */
export interface Walk {
  /** A burst has begun: its next beat is known. */
  readonly busy: Bit;
  /** The narrow beat's place in the wide one. */
  readonly lane: UInt;
  /** It is the last of its burst; it ends a wide beat; it belongs to the last part of what was asked for. */
  readonly last: Bit;
  readonly ends: Bit;
  readonly final: Bit;
  readonly id: UInt;
  /** The beat is done. Said once. */
  done(fire: Bit): void;
}
/** Goes through the beats of one burst after the other, without a pause between them. */
export function walk(w: Widths, plans: StreamIn<Plan>, name: string): Walk {
  const low = (n: string) => reg(uint<number>(w.wide), { name: `${name}_${n}` });
  const busy = reg(bit, { init: 0, name: `${name}_busy` }),
    at = low("at"),
    below = low("below"),
    mask = low("mask"),
    fill = low("fill"),
    left = reg(uint(8), { name: `${name}_left` }),
    final = reg(bit, { name: `${name}_final` }),
    id = reg(uint<number>(w.idBits), { name: `${name}_id` });
  const last = node(left.eq(0), { name: `${name}_last` }),
    // A part of 256 beats may end within a wide beat, whose rest the next part has.
    ends = node(at.or(fill).all().or(last.and(final)), { name: `${name}_ends` });
  const onward = node(at.or(below).add(1), { name: `${name}_onward` });
  return {
    busy,
    lane: at.bits(w.narrow, w.wide - w.narrow),
    last,
    ends,
    final,
    id,
    done: fire => {
      const free = node(busy.not().or(fire.and(last)), { name: `${name}_free` });
      plans.ready.set(free);
      when(fire, () => {
        at.set(at.andNot(mask).or(onward.and(mask)));
        left.set(left.sub(1));
      });
      when(free, () => busy.set(plans.valid));
      when(plans.fire, () => {
        const p = plans.payload;
        at.set(p.low);
        below.set(p.below);
        mask.set(p.mask);
        fill.set(p.fill);
        left.set(p.len);
        final.set(p.final);
        id.set(p.id);
      });
    },
  };
}

/** The bits that count on in a burst of beats of 2^size bytes. */
export function maskOf(w: Widths, a: { readonly len: UInt<8>; readonly size: UInt<3>; readonly burst: UInt<2> }): UInt {
  const ones = constant((1n << BigInt(w.wide)) - 1n, w.wide);
  const wrapped = bySize(a.size, 0, w.wide, k =>
    a.len
      .zext(8 + w.wide)
      .shl(k)
      .or((1n << BigInt(k)) - 1n)
      .trunc(w.wide),
  );
  return mux(a.burst.eq(burstKind.fixed), constant(0, w.wide), mux(a.burst.eq(burstKind.wrap), wrapped, ones));
}
