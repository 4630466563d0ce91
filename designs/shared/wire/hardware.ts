import { struct, type StructShape, uint, type UIntShape } from "../../../hdl-dsl/index.ts";
import { type FieldSet, type Layout, type Placement, placementsOf } from "./layout.ts";

/** The struct shape of a layout: the same names, in wire order, each an unsigned integer of the field's width. */
export type ShapeOf<F extends FieldSet> = StructShape<{ readonly [K in keyof F]: UIntShape<F[K]["bits"]> }>;

/**
 * The hdl-dsl struct of a layout, or of a record. Field values are in plain binary (network-order fields already turned
 * round), raw bytes with the first byte lowest; where each field lies on the wire is told by `slicesOf`.
 */
export function shapeOf<F extends FieldSet>(l: Pick<Layout<F>, "fields">): ShapeOf<F> {
  const fields = Object.fromEntries(Object.entries(l.fields).map(([name, f]) => [name, uint(f.bits)]));
  return struct(fields as ShapeOf<F>["fields"]);
}

/**
 * A run of bits of a byte vector: `width` bits from bit `lsb` (bit 0 is bit 0 of byte 0) make the bits from `to` of
 * the field's value.
 */
export interface BitRun {
  readonly lsb: number;
  readonly to: number;
  readonly width: number;
}
export interface Slice extends Placement {
  readonly runs: readonly BitRun[];
}

/**
 * How to cut each field from a vector in which byte i of the header stands at bits 8i to 8i+7 (the AXI-Stream
 * convention): the runs of bits to be joined, lowest bits of the value first. A little-endian field is one run; a
 * network-order field is one run per byte.
 * @param base bytes in front of the layout in the vector
 */
export function slicesOf<F extends FieldSet>(l: Layout<F>, base = 0): { readonly [K in keyof F]: Slice } {
  const out: Record<string, Slice> = {};
  for (const p of placementsOf(l)) {
    const runs: BitRun[] = [];
    if (!p.bigEndian) runs.push({ lsb: (base + p.byteOffset) * 8 + p.bitOffset, to: 0, width: p.width });
    else {
      // The last byte holds the value's lowest bits, from `bitOffset` up.
      let to = 0,
        skip = p.bitOffset;
      for (let i = p.byteLength - 1; i >= 0 && to < p.width; i--) {
        const width = Math.min(8 - skip, p.width - to);
        runs.push({ lsb: (base + p.byteOffset + i) * 8 + skip, to, width });
        to += width;
        skip = 0;
      }
    }
    out[p.name] = { ...p, byteOffset: base + p.byteOffset, runs };
  }
  return out as { readonly [K in keyof F]: Slice };
}
