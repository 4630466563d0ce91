/**
 * Layouts: the one description of every header and body of the wire format. A layout is written as names and widths in
 * wire order; every offset is computed here, once, and the codec, the hardware slices, the Wireshark dissector and the
 * reference page all read it.
 */

/** How a person wants to see a field. */
export type Display = "dec" | "hex" | "mac" | "ipv4" | "bool" | "text";

interface FieldBase {
  readonly doc: string;
  readonly display: Display;
}
/** A field of 1 to 32 bits; a `number` in TypeScript. */
export interface NumberField<B extends number = number> extends FieldBase {
  readonly kind: "number";
  readonly bits: B;
  /** Names of particular values, e.g. status codes. */
  readonly names?: Readonly<Record<number, string>>;
}
/** A field of 33 to 64 bits; a `bigint` in TypeScript. */
export interface BigField<B extends number = number> extends FieldBase {
  readonly kind: "big";
  readonly bits: B;
}
/** Plain bytes, kept in wire order; a `Uint8Array` in TypeScript. `bits` is 8 x the length. */
export interface RawField<B extends number = number> extends FieldBase {
  readonly kind: "raw";
  readonly bits: B;
}
export type Field = NumberField | BigField | RawField;
export interface FieldSet {
  readonly [name: string]: Field;
}

/** A number of up to 32 bits. */
export function num<const B extends number>(
  bits: B,
  doc: string,
  display: Display = "dec",
  names?: Readonly<Record<number, string>>,
): NumberField<B> {
  if (!Number.isInteger(bits) || bits < 1 || bits > 32)
    throw new LayoutError(`num: the width must be 1 to 32 bits, got ${bits}; use big for more`);
  return names ? { kind: "number", bits, doc, display, names } : { kind: "number", bits, doc, display };
}
/** A number of 33 to 64 bits. */
export function big<const B extends number>(bits: B, doc: string, display: Display = "hex"): BigField<B> {
  if (!Number.isInteger(bits) || bits < 33 || bits > 64)
    throw new LayoutError(`big: the width must be 33 to 64 bits, got ${bits}; use num for less`);
  return { kind: "big", bits, doc, display };
}
/** Whole bytes: give the width in bits (a multiple of 8), so that it stays a literal type. */
export function raw<const B extends number>(bits: B, doc: string, display: Display = "hex"): RawField<B> {
  if (!Number.isInteger(bits) || bits < 8 || bits % 8 !== 0)
    throw new LayoutError(`raw: the width must be a multiple of 8 bits, got ${bits}`);
  return { kind: "raw", bits, doc, display };
}

/** What a layout refuses: a width out of range, or fields that do not fill whole bytes. */
export class LayoutError extends Error {
  override readonly name = "LayoutError";
}

/**
 * Where a field lies. Read the bytes `byteOffset` to `byteOffset + byteLength - 1` as one integer in the field's byte
 * order; the field is that integer shifted right by `bitOffset`, cut to `width` bits.
 */
export interface Placement {
  readonly name: string;
  readonly byteOffset: number;
  readonly byteLength: number;
  readonly bitOffset: number;
  readonly width: number;
  readonly bigEndian: boolean;
}

export interface Layout<F extends FieldSet = FieldSet> {
  readonly name: string;
  readonly title: string;
  /** `be`: network order, a byte's most significant bit first. `le`: little-endian, bit 0 first. */
  readonly order: "be" | "le";
  readonly fields: F;
  /** Bytes in all. */
  readonly bytes: number;
  readonly at: { readonly [K in keyof F]: Placement };
}

/** The TypeScript values of a layout's fields. */
export type Values<F extends FieldSet> = {
  -readonly [K in keyof F]: F[K] extends RawField ? Uint8Array : F[K] extends BigField ? bigint : number;
};
/** The decoded form of a layout: `Decoded<typeof udpHeader>`. */
export type Decoded<L> = L extends Layout<infer F> ? Values<F> : never;

/**
 * Lay fields out one after another with no gap. Raw fields must start on a byte.
 * @throws LayoutError when the fields do not end on a byte or a raw field does not start on one.
 */
export function layout<const F extends FieldSet>(
  name: string,
  title: string,
  order: "be" | "le",
  fields: F,
): Layout<F> {
  let position = 0;
  const at: Record<string, Placement> = {};
  for (const [field, { bits, kind }] of Object.entries(fields)) {
    const byteOffset = Math.floor(position / 8),
      end = position + bits,
      byteLength = Math.ceil(end / 8) - byteOffset;
    if (kind === "raw" && position % 8 !== 0)
      throw new LayoutError(`layout ${name}: the bytes of ${field} start in the middle of a byte (bit ${position})`);
    const bigEndian = order === "be" && kind !== "raw";
    at[field] = {
      name: field,
      byteOffset,
      byteLength,
      bitOffset: bigEndian ? (byteOffset + byteLength) * 8 - end : position % 8,
      width: bits,
      bigEndian,
    };
    position = end;
  }
  if (position % 8 !== 0) throw new LayoutError(`layout ${name}: ${position} bits do not fill whole bytes`);
  return { name, title, order, fields, bytes: position / 8, at: at as Layout<F>["at"] };
}

/** The placements of a layout in wire order. */
export function placementsOf(l: Layout): readonly Placement[] {
  return Object.values(l.at);
}
