/**
 * Header fields in hardware: cut out of a vector of frame bytes, and joined to one. The positions are those of the
 * layouts in ../wire.
 */
import { cat, constant, type UInt } from "../../../hdl-dsl/index.ts";
import { type FieldSet, type Layout, slicesOf } from "../wire/index.ts";

/** A value for each field, as numbers or as values of the field's width. */
export type FieldValues<F extends FieldSet> = { readonly [K in keyof F]: UInt | number };

/**
 * The fields of a layout that starts at byte `base` of a vector in which byte i stands at bits 8i to 8i+7.
 * Network-order fields come out as numbers. Wires only.
 */
export function cutFields<F extends FieldSet>(
  l: Layout<F>,
  vector: UInt,
  base = 0,
): { readonly [K in keyof F]: UInt<F[K]["bits"]> } {
  const out: Record<string, UInt> = {};
  for (const [name, slice] of Object.entries(slicesOf(l, base))) {
    out[name] = cat(...[...slice.runs].sort((a, b) => b.to - a.to).map(r => vector.bits(r.lsb, r.width)));
  }
  return out as { readonly [K in keyof F]: UInt<F[K]["bits"]> };
}

/** The bytes of a layout from values of all its fields, byte 0 lowest: the reverse of `cutFields`. Wires only. */
export function joinFields<F extends FieldSet>(l: Layout<F>, values: FieldValues<F>): UInt {
  const pieces: { readonly lsb: number; readonly value: UInt }[] = [];
  for (const [name, slice] of Object.entries(slicesOf(l))) {
    const given = values[name] as UInt | number;
    const value = typeof given === "number" ? constant(given, slice.width) : given;
    for (const r of slice.runs) pieces.push({ lsb: r.lsb, value: value.bits(r.to, r.width) });
  }
  return cat(...pieces.sort((a, b) => b.lsb - a.lsb).map(p => p.value)).is(l.bytes * 8);
}

/** Byte vectors one after another, the first lowest. */
export function joinBytes(...parts: readonly UInt[]): UInt {
  return cat(...[...parts].reverse());
}
