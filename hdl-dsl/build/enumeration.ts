/** Enumerations and variants as values, and the choice by them. */
import type { Stmt } from "../ir/circuit.ts";
import type { Const, Expr } from "../ir/expr.ts";
import * as make from "../ir/fold.ts";
import { type BitsOfCount, enumShape, type EnumType, variantShape, type VariantType } from "../types/enumeration.ts";
import { type Cases, casesOfShape, type Enumeration, type EnumShape, type Shape, widthOf } from "../types/shape.ts";
import type { Bit, casesOf, Enum, Readable, SInt, UInt, Variant, VecVal } from "../types/value.ts";
import { context, report, withBlock } from "./context.ts";
import { userPosition } from "./position.ts";
import { mux } from "./statements.ts";
import { didYouMean } from "./suggest.ts";
import { bitOf, constant, exprKey, nameConstant, Value } from "./value.ts";
import { literalOf, pack, shapeOf, unpack } from "./view.ts";

/**
 * An enumeration. `values`: the names, with codes from 0 in their order, or each name with its code. `width` in bits:
 * as many as the highest code takes, unless given. `base`: "hex" writes the codes so in Verilog. The result is a shape
 * for ports, registers, fields, streams and memories. Its values stand under their names, and can be given as strings
 * too: `verdict.set("absent")`.
 * @throws ShapeError for names or codes that are no such, or that occur twice, and for a width that is too small
 * @param o.width bits; default: as few as the codes need
 * @param o.base `hex`: waves show a code without a name in it
 */
export function enumOf<
  const N extends string,
  const T extends readonly string[],
  const W extends number = BitsOfCount<T["length"]>,
>(name: N, values: T, o?: { readonly width?: W; readonly base?: "hex" }): EnumType<N, T[number], W>;
export function enumOf<const N extends string, const M extends string, const W extends number = number>(
  name: N,
  values: { readonly [K in M]: number },
  o?: { readonly width?: W; readonly base?: "hex" },
): EnumType<N, M, W>;
export function enumOf(
  name: string,
  values: readonly string[] | Readonly<Record<string, number>>,
  o: { readonly width?: number; readonly base?: "hex" } = {},
): EnumShape {
  const shape = enumShape(name, values, o.width, o.base);
  // Not enumerable: as a parameter of a module an enumeration is its shape only.
  for (const v of Object.keys(shape.enumeration.codes))
    Object.defineProperty(shape, v, { get: () => namedValue(shape, v), enumerable: false });
  return shape;
}

const namedValue = ({ enumeration, width }: EnumShape, name: string): Value =>
  new Value(nameConstant(enumeration, name, width, enumeration.name), enumeration);

/** Whether bits are the code of some value of the enumeration: for bits that come from outside. */
export function hasName(of: EnumShape, bits: UInt): Bit {
  const codes = Object.values(of.enumeration.codes);
  if (codes.length === 2 ** of.width) return constant(1, 1);
  return codes.every((c, i) => c === i)
    ? bits.lt(codes.length)
    : codes.map((c): Bit => bits.eq(c)).reduce((a, b) => a.or(b));
}

/** Bits as a value of the enumeration; `otherwise` for codes that none of its values has. */
export function fromCode<N extends string, M extends string, W extends number>(
  of: EnumShape<N, M, W>,
  bits: UInt<W>,
  otherwise: NoInfer<M>,
): Enum<N, M, W> {
  const value: unknown = unpack(of as EnumShape, bits);
  return mux<unknown, unknown>(hasName(of, bits), value, namedValue(of, otherwise)) as Enum<N, M, W>;
}

/**
 * A variant: one of several cases, each with a body of its own shape, or null for none. The tag has the lowest bits;
 * the body lies above it, from its first field up. It is as wide as the widest, and bits that a case leaves are 0.
 * @throws ShapeError as `enumOf` does
 */
export function variantOf<const N extends string, const C extends Cases>(name: N, cases: C): VariantType<N, C>;
export function variantOf(name: string, cases: Cases): Shape {
  const shape = variantShape(name, cases),
    { tag, body } = shape.fields;
  for (const [c, inner] of Object.entries(cases)) {
    const value = (given?: unknown): unknown => {
      const bits = inner === null ? constant(0, body.width) : pack(literalOf(inner, given)).zext(body.width);
      return literalOf(shape as Shape, { tag: namedValue(tag, c), body: bits });
    };
    Object.defineProperty(shape, c, { value, enumerable: false });
  }
  return shape as Shape;
}

/**
 * An arm for each case; or for some of them, and `otherwise`. An arm is given the body of its case. Elaboration refuses
 * arms whose names are no cases.
 */
export type Arms<C> =
  | ({ readonly [K in keyof C]: (body: C[K]) => unknown } & { readonly otherwise?: undefined })
  | ({ readonly [K in keyof C]?: (body: C[K]) => unknown } & { readonly otherwise: () => unknown });
type Results<A> = { [K in keyof A]: A[K] extends (body: never) => infer R ? R : never }[keyof A];
/** The value that the arms give, numbers beside it aside; nothing when they give none. */
type Matched<R> = [Extract<R, AnyValue>] extends [never] ? undefined : Readable<Extract<R, AnyValue>>;
type AnyValue = UInt | SInt | Enum | Variant | VecVal<Shape> | { readonly [field: string]: UInt | SInt | Enum };

/**
 * A choice by the value of an enumeration or by the case of a variant. Assignments in an arm take effect in its case.
 * Where the arms give values, the result is that of the case. Every name has an arm, unless there is an `otherwise`.
 * A code without a name cannot be made from names; should one occur, registers keep their value, and wires take the
 * last arm.
 */
export function match<C, A extends Arms<C>>(value: { readonly [casesOf]: C }, arms: A): Matched<Results<A>>;
export function match(value: unknown, arms: ArmTable): unknown {
  const on = chosenBy(value);
  if (on === undefined) {
    report(
      "HDL142",
      "match: what is chosen by is neither an enumeration nor a variant",
      "Choose by a number with switchOn, or declare it with enumOf or variantOf",
    );
    return undefined;
  }
  checkArms(on.enumeration, arms);
  const results: { readonly label: Const | undefined; readonly name: string; readonly value: unknown }[] = [],
    cases: { readonly labels: readonly Expr[]; readonly body: Stmt[] }[] = [];
  for (const name of Object.keys(on.enumeration.codes)) {
    const arm = arms[name],
      body: Stmt[] = [];
    if (arm === undefined) continue;
    const label = nameConstant(on.enumeration, name, on.expr.width, "match") as Const;
    results.push({ label, name, value: withBlock(body, () => arm(on.body(name))) });
    cases.push({ labels: [label], body });
  }
  const otherwise: Stmt[] = [],
    rest = arms.otherwise;
  if (rest !== undefined)
    results.push({ label: undefined, name: "otherwise", value: withBlock(otherwise, () => rest(undefined)) });
  if (otherwise.length > 0 || cases.some(c => c.body.length > 0))
    context().block.push({
      kind: "switch",
      on: on.expr,
      cases,
      otherwise: rest === undefined ? undefined : otherwise,
      complete: rest === undefined,
      position: userPosition(),
    });
  return chosenValue(on.expr, results);
}

interface ArmTable {
  readonly otherwise?: ((body: unknown) => unknown) | undefined;
  readonly [name: string]: ((body: unknown) => unknown) | undefined;
}
interface Chosen {
  readonly expr: Expr;
  readonly enumeration: Enumeration;
  /** What the arm of a case is given. */
  readonly body: (name: string) => unknown;
}
function chosenBy(value: unknown): Chosen | undefined {
  if (value instanceof Value)
    return value.enumeration === undefined
      ? undefined
      : { expr: value[exprKey], enumeration: value.enumeration, body: () => undefined };
  const shape = shapeOf(value),
    cases = shape === undefined ? undefined : casesOfShape(shape)?.cases;
  if (cases === undefined) return undefined;
  const { tag, body } = value as { readonly tag: Value; readonly body: UInt };
  return {
    expr: tag[exprKey],
    enumeration: tag.enumeration as Enumeration,
    body: name => {
      const inner = cases[name] ?? undefined;
      return inner === undefined ? undefined : unpack(inner, body.trunc(widthOf(inner)));
    },
  };
}

function checkArms(e: Enumeration, arms: ArmTable): void {
  const names = Object.keys(e.codes);
  for (const given of Object.keys(arms).filter(n => n !== "otherwise" && !names.includes(n)))
    report(
      "HDL142",
      `match: ${e.name} has no value ${given}`,
      `${didYouMean(given, names)}Its values are ${names.join(", ")}`,
    );
  const missing = names.filter(n => arms[n] === undefined);
  if (arms.otherwise === undefined && missing.length > 0)
    report(
      "HDL142",
      `match: ${e.name} can be ${missing.join(", ")}, without an arm`,
      "Give every value an arm, or add otherwise",
    );
}

/** The value of the arm whose label fits; undefined when the arms give none. */
function chosenValue(
  on: Expr,
  results: readonly { readonly label: Const | undefined; readonly name: string; readonly value: unknown }[],
): unknown {
  const shape = results.map(r => shapeOf(r.value)).find(s => s !== undefined);
  if (shape === undefined) return undefined;
  const without = results.find(r => shapeOf(r.value) === undefined && !isLiteral(r.value));
  if (without !== undefined) {
    report(
      "HDL142",
      `match: the arm ${without.name} gives no value, and others do`,
      "Give a value in every arm, or in none",
    );
    return unpack(shape, constant(0, widthOf(shape)));
  }
  return results.reduceRight<unknown>(
    (rest, r) =>
      rest === undefined || r.label === undefined
        ? literalOf(shape, r.value)
        : mux<unknown, unknown>(bitOf(make.binary("eq", on, r.label)), literalOf(shape, r.value), rest),
    undefined,
  );
}
const isLiteral = (v: unknown): boolean => typeof v === "number" || typeof v === "bigint" || typeof v === "string";
