/**
 * Enumerations: a value that has one of a few names. The type carries the names, the Verilog shows them as
 * localparams.
 */
import { bitsFor } from "./bits.ts";
import {
  type Cases,
  type Enumeration,
  type EnumShape,
  type Shape,
  ShapeError,
  type VariantShape,
  widthOf,
} from "./shape.ts";
import type { Enum, Given, Variant } from "./value.ts";

type To2 = 1 | 2;
type To4 = 3 | 4;
type To8 = 5 | 6 | 7 | 8;
type To16 = 9 | 10 | 11 | 12 | 13 | 14 | 15 | 16;
type To32 = 17 | 18 | 19 | 20 | 21 | 22 | 23 | 24 | 25 | 26 | 27 | 28 | 29 | 30 | 31 | 32;
/** Bits of codes 0 .. L-1 as a type; `number` for more than 32 names. */
export type BitsOfCount<L> = L extends To2
  ? 1
  : L extends To4
    ? 2
    : L extends To8
      ? 3
      : L extends To16
        ? 4
        : L extends To32
          ? 5
          : number;

/** An enumeration as a shape, with each of its values under its name: `Verdict.mapped`. */
export type EnumType<N extends string, M extends string, W extends number> = EnumShape<N, M, W> & {
  readonly [K in M]: Enum<N, M, W>;
};

/** A variant as a shape, with a maker for each of its cases: `Request.read({ address, length: 4 })`. */
export type VariantType<N extends string, C extends Cases> = VariantShape<N, C> & {
  readonly [K in keyof C]: C[K] extends Shape ? (body: Given<C[K]>) => Variant<N, C> : () => Variant<N, C>;
};

/** What enumerations and variants themselves have under these names, and `match` under the last. */
const reserved: ReadonlySet<string> = new Set(["kind", "width", "enumeration", "fields", "variant", "otherwise"]);

function codesOf(name: string, values: readonly string[] | Readonly<Record<string, number>>): [string, number][] {
  const entries = Array.isArray(values)
    ? (values as readonly string[]).map((v, i): [string, number] => [v, i])
    : Object.entries(values as Readonly<Record<string, number>>);
  const say = (text: string): never => {
    throw new ShapeError(`enumOf("${name}"): ${text}`);
  };
  if (entries.length === 0) say("at least one value is needed");
  const names = new Map<string, string>(),
    codes = new Map<number, string>();
  for (const [v, code] of entries) {
    if (!/^[A-Za-z]\w*$/.test(v)) say(`the value "${v}" is no name: letters, digits and _, a letter first`);
    if (reserved.has(v)) say(`the name ${v} is the language's own; choose another`);
    const text = v.replaceAll("_", "").toLowerCase(),
      same = names.get(text) ?? codes.get(code);
    if (names.has(text)) say(`the names ${String(same)} and ${v} cannot be told apart in Verilog`);
    if (!Number.isInteger(code) || code < 0 || code >= 2 ** 32)
      say(`the code of ${v} is ${code}; a whole number from 0 to 2^32 - 1 is expected`);
    if (codes.has(code)) say(`${String(same)} and ${v} have the same code, ${code}`);
    names.set(text, v);
    codes.set(code, v);
  }
  return entries;
}

/**
 * The shape of an enumeration, its values not yet under their names: the part of `enumOf` that needs no hardware.
 * @throws ShapeError for names or codes that are no such, or that occur twice, and for a width that is too small
 */
export function enumShape(
  name: string,
  values: readonly string[] | Readonly<Record<string, number>>,
  given?: number,
  base?: "hex",
): EnumShape {
  if (!/^[A-Za-z]\w*$/.test(name))
    throw new ShapeError(`enumOf: "${name}" is no name: letters, digits and _, a letter first`);
  const entries = codesOf(name, values),
    highest = Math.max(...entries.map(([, code]) => code)),
    least = bitsFor(highest),
    width = given ?? least;
  if (!Number.isInteger(width) || width < least || width > 32)
    throw new ShapeError(
      `enumOf("${name}"): the code ${highest} takes ${least} bits, and the width is ${width}; give ${least} to 32`,
    );
  const codes = Object.fromEntries(entries);
  return { kind: "uint", width, enumeration: base === undefined ? { name, codes } : { name, codes, base } };
}

/** The shape of a variant, without the makers of its cases. The tag stands below the body. */
export function variantShape(name: string, cases: Cases): VariantShape {
  const tag = enumShape(name, Object.keys(cases)),
    widths = Object.values(cases).map(c => (c === null ? 0 : widthOf(c)));
  return {
    kind: "struct",
    fields: { tag, body: { kind: "uint", width: Math.max(1, ...widths) } },
    variant: { name, cases },
  };
}

/** The names of an enumeration, in the order in which they were given. */
export function namesOf<N extends string, M extends string>(of: EnumShape<N, M> | Enumeration<N, M>): readonly M[] {
  return Object.keys("codes" in of ? of.codes : of.enumeration.codes) as M[];
}
/** The number that stands for a value of an enumeration. */
export function codeOf<N extends string, M extends string>(of: EnumShape<N, M>, name: NoInfer<M>): number {
  return codeNamed(of.enumeration, name) as number;
}
/** The name that a number stands for; undefined when none does. */
export const nameOfCode = (e: Enumeration, code: number | bigint): string | undefined =>
  Object.entries(e.codes).find(([, c]) => c === Number(code))?.[0];
/** The code of a name; undefined for a name that the enumeration does not have. */
export const codeNamed = (e: Enumeration, name: string): number | undefined =>
  Object.entries(e.codes).find(([n]) => n === name)?.[1];
