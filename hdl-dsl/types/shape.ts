/**
 * Shapes: the layout of a value in bits. Plain data, so packet schemas, the harness and the emitter all read the
 * same description. Bit 0 of a shape is the least significant; struct fields and vec elements are packed in order
 * from bit 0 up.
 */

import { declaredName, later } from "../source/position.ts";
import type { WidthOf } from "./width-of.ts";

/** An unsigned integer of `width` bits (1 or more). */
export interface UIntShape<W extends number = number> {
  readonly kind: "uint";
  readonly width: W;
}
/** A two's-complement integer of `width` bits (1 or more). */
export interface SIntShape<W extends number = number> {
  readonly kind: "sint";
  readonly width: W;
}
/** Names and codes of an enumeration. Plain data. */
export interface Enumeration<N extends string = string, M extends string = string> {
  /** Of the enumeration: it begins the localparams' names in Verilog. */
  readonly name: N;
  /** The number that stands for each value. */
  readonly codes: { readonly [K in M]: number };
  /** How Verilog writes the codes; decimal unless given. */
  readonly base?: "hex" | undefined;
}
/** One of a few names; in bits an unsigned integer. `enumOf` makes it. */
export interface EnumShape<
  N extends string = string,
  M extends string = string,
  W extends number = number,
> extends UIntShape<W> {
  readonly enumeration: Enumeration<N, M>;
}
/** Named fields; the first field holds the least significant bits when packed. */
export interface StructShape<F extends Fields = Fields> {
  readonly kind: "struct";
  readonly fields: F;
}
/** `length` elements of one shape; element 0 holds the least significant bits when packed. */
export interface VecShape<S extends Shape = Shape, N extends number = number> {
  readonly kind: "vec";
  readonly element: S;
  readonly length: N;
}
/** What may be inside of a variant: for each case the shape of its body, or null for a case without one. */
export interface Cases {
  readonly [name: string]: Shape | null;
}
/** One of several cases, each with a body of its own: a tag (in the lowest bits) and a body as wide as the widest. */
export interface VariantShape<N extends string = string, C extends Cases = Cases> {
  readonly kind: "struct";
  readonly fields: { readonly tag: EnumShape<N, keyof C & string>; readonly body: UIntShape };
  readonly variant: { readonly name: N; readonly cases: C };
}
/** The fields of a struct, by name; the first has the highest bits. */
export interface Fields {
  readonly [name: string]: Shape;
}
/** What a value looks like: a number, a struct or a vector. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- `any` stops the recursion that StructShape<Fields> would need
export type Shape = UIntShape | SIntShape | StructShape<any> | VecShape<any>;

/** Fault that a shape refuses: a width that is not a positive whole number. */
export class ShapeError extends Error {
  override readonly name = "ShapeError";
}

function positive(what: string, n: number): void {
  if (!Number.isInteger(n) || n < 1)
    throw new ShapeError(`${what} must be a whole number of 1 or more, got ${String(n)}`);
}

/** Unsigned integer shape, `width` bits. */
export function uint<const W extends number>(width: W): UIntShape<W> {
  positive("uint: the width", width);
  return { kind: "uint", width };
}

/** Two's-complement integer shape, `width` bits. */
export function sint<const W extends number>(width: W): SIntShape<W> {
  positive("sint: the width", width);
  return { kind: "sint", width };
}

/** One bit. */
export const bit: UIntShape<1> = { kind: "uint", width: 1 };

/** Named fields, packed from bit 0 up in the order written. Its name is that of its declaration (`shapeName`). */
export function struct<const F extends Fields>(fields: F): StructShape<F> {
  if (Object.keys(fields).length === 0) throw new ShapeError("struct: at least one field is needed");
  const shape: StructShape<F> = { kind: "struct", fields };
  declaredNames.set(shape, later(declaredName));
  return shape;
}

const declaredNames = new WeakMap<Shape, () => string | undefined>();

/** The same struct under a name of its own, for names of modules: `named("Beat32", AxisBeat(4))`. */
export function named<const F extends Fields>(name: string, shape: StructShape<F>): StructShape<F> {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
    throw new ShapeError(`named: ${JSON.stringify(name)} is no name: letters, digits and underscores are expected`);
  const renamed: StructShape<F> = { kind: "struct", fields: shape.fields };
  declaredNames.set(renamed, () => name);
  return renamed;
}

/** The name that a struct has from its declaration; undefined where it has none. */
export const declaredNameOf = (shape: Shape): string | undefined => declaredNames.get(shape)?.();

/** Characters beyond which the name of an unnamed struct leaves fields out and tells its width instead. */
const longestStructName = 48;

/**
 * The name of a shape within names of modules: `ReadBeat` for a declared struct, else what it is made of: `uint32`,
 * `sint8`, `bit`, `uint8x4` for a vec of 4, `slot6_frame14` for a struct without a name.
 */
export function shapeName(shape: Shape): string {
  const declared = declaredNameOf(shape);
  if (declared !== undefined) return declared.replace(/[^A-Za-z0-9_]/g, "_");
  switch (shape.kind) {
    case "uint":
      return shape.width === 1 ? "bit" : `uint${shape.width}`;
    case "sint":
      return `sint${shape.width}`;
    case "vec":
      return `${shapeName(shape.element as Shape)}x${shape.length}`;
    case "struct": {
      const parts = fieldsOf(shape as StructShape).map(([name, s]) => {
        const plain = s.kind === "uint" || s.kind === "sint";
        return `${name}${plain ? `${s.kind === "sint" ? "s" : ""}${s.width}` : `_${shapeName(s)}`}`;
      });
      const whole = parts.join("_");
      return whole.length <= longestStructName ? whole : `${parts.slice(0, 3).join("_")}_w${widthOf(shape)}`;
    }
  }
}

/** `length` elements of `element`; element 0 lowest. */
export function vec<const S extends Shape, const N extends number>(element: S, length: N): VecShape<S, N> {
  positive("vec: the length", length);
  return { kind: "vec", element, length };
}

/** Total bits of a shape. */
export function widthOf<const S extends Shape>(shape: S): WidthOf<S>;
export function widthOf(shape: Shape): number {
  switch (shape.kind) {
    case "uint":
    case "sint":
      return shape.width;
    case "struct":
      return fieldsOf(shape as StructShape).reduce((n, [, s]) => n + widthOf(s), 0);
    case "vec":
      return shape.length * widthOf(shape.element as Shape);
  }
}

/** The fields of a struct, in packing order (bit 0 first). */
export function fieldsOf(shape: StructShape): readonly (readonly [string, Shape])[] {
  return Object.entries(shape.fields);
}

/** A leaf of a flattened shape: its name path joined by `_`, its bits, and its offset in the packed value. */
export interface Leaf {
  readonly path: readonly string[];
  readonly width: number;
  readonly signed: boolean;
  readonly offset: number;
  /** Of a leaf that is one of a few names. */
  readonly enumeration?: Enumeration | undefined;
}

/** The names and codes of an enumeration; undefined for any other shape. */
export const enumerationOf = (shape: Shape): Enumeration | undefined =>
  shape.kind === "uint" && "enumeration" in shape ? (shape as EnumShape).enumeration : undefined;

/** The name and the cases of a variant; undefined for any other shape. */
export const casesOfShape = (shape: Shape): VariantShape["variant"] | undefined =>
  shape.kind === "struct" && "variant" in shape ? (shape as VariantShape).variant : undefined;

/** Whether two enumerations have one name, the same values in the same order and the same codes. */
export const sameEnumeration = (a: Enumeration | undefined, b: Enumeration | undefined): boolean =>
  a === b ||
  (a !== undefined &&
    b !== undefined &&
    a.name === b.name &&
    JSON.stringify(Object.entries(a.codes)) === JSON.stringify(Object.entries(b.codes)));

/** The leaves of a shape from bit 0 up; a plain integer gives one leaf with an empty path. */
export function leavesOf(shape: Shape, path: readonly string[] = [], offset = 0): Leaf[] {
  switch (shape.kind) {
    case "uint":
    case "sint":
      return [{ path, width: shape.width, signed: shape.kind === "sint", offset, enumeration: enumerationOf(shape) }];
    case "struct": {
      const out: Leaf[] = [];
      let at = offset;
      for (const [name, s] of fieldsOf(shape as StructShape)) {
        out.push(...leavesOf(s, [...path, name], at));
        at += widthOf(s);
      }
      return out;
    }
    case "vec": {
      const out: Leaf[] = [];
      const element = shape.element as Shape;
      for (let i = 0; i < shape.length; i++)
        out.push(...leavesOf(element, [...path, String(i)], offset + i * widthOf(element)));
      return out;
    }
  }
}

/** Whether two shapes have the same structure, names and widths. */
export function sameShape(a: Shape, b: Shape): boolean {
  if (a.kind !== b.kind) return false;
  switch (a.kind) {
    case "uint":
    case "sint":
      return a.width === (b as UIntShape).width && sameEnumeration(enumerationOf(a), enumerationOf(b));
    case "vec":
      return a.length === (b as VecShape).length && sameShape(a.element as Shape, (b as VecShape).element);
    case "struct": {
      const fa = fieldsOf(a as StructShape),
        fb = fieldsOf(b as StructShape);
      return fa.length === fb.length && fa.every(([n, s], i) => n === fb[i]?.[0] && sameShape(s, fb[i][1]));
    }
  }
}

/** A shape in words, for messages: `uint(8)`, `{ a: uint(4) }`, `vec(uint(8), 3)`. */
export function describeShape(s: Shape): string {
  switch (s.kind) {
    case "uint":
      return enumerationOf(s)?.name ?? (s.width === 1 ? "bit" : `uint(${s.width})`);
    case "sint":
      return `sint(${s.width})`;
    case "vec":
      return `vec(${describeShape(s.element as Shape)}, ${s.length})`;
    case "struct":
      if ("variant" in s) return (s as VariantShape).variant.name;
      return `{ ${fieldsOf(s as StructShape)
        .map(([n, f]) => `${n}: ${describeShape(f)}`)
        .join(", ")} }`;
  }
}
