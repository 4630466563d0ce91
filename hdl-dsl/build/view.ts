/** Views: a shape over leaf values. Structs are plain objects of their fields, vecs have at(); each knows its shape. */
import type { Expr } from "../ir/expr.ts";
import * as make from "../ir/fold.ts";
import { hint } from "../ir/hints.ts";
import { snakeCase } from "../ir/snake-case.ts";
import type { Signal } from "../ir/circuit.ts";
import {
  describeShape,
  type Enumeration,
  enumerationOf,
  type EnumShape,
  fieldsOf,
  type Leaf,
  leavesOf,
  type Shape,
  type StructShape,
  widthOf,
} from "../types/shape.ts";
import type { BitsOf, UInt, Val, Var } from "../types/value.ts";
import type { WidthOfValue } from "../types/width-of.ts";
import { context, report, verilogName, withBlock } from "./context.ts";
import { sourceName, userPosition } from "./position.ts";
import { didYouMean } from "./suggest.ts";
import { exprKey, exprOf, operand, refusePrimitive, uintOf, Value, Variable } from "./value.ts";

const shapeKey: unique symbol = Symbol("shape");
interface Composite {
  readonly [shapeKey]: Shape;
}
const isComposite = (v: unknown): v is Composite => typeof v === "object" && v !== null && shapeKey in v;

function shapeOfLeaf(v: Value): Shape {
  const { enumeration, width } = v;
  if (enumeration !== undefined) return { kind: "uint", width, enumeration } as EnumShape;
  return { kind: v[exprKey].signed ? "sint" : "uint", width };
}

/** A leaf as the value of an enumeration, and its signal as one. */
function named(v: Value, enumeration: Enumeration): Value {
  v.enumeration = enumeration;
  const { signal } = v as { readonly signal?: Signal };
  if (signal !== undefined) signal.enumeration = enumeration;
  return v;
}

/** The shape of any value of the language. */
export function shapeOf(v: unknown): Shape | undefined {
  if (v instanceof Value) return shapeOfLeaf(v);
  return isComposite(v) ? v[shapeKey] : undefined;
}

/** Builds a view: `leaf` gives the value of each leaf (a Value to read, a Variable to drive too). */
export function view(shape: Shape, leaf: (l: Leaf) => Value, path: readonly string[] = [], offset = 0): unknown {
  switch (shape.kind) {
    case "uint":
    case "sint": {
      const enumeration = enumerationOf(shape),
        value = leaf({ path, width: shape.width, signed: shape.kind === "sint", offset, enumeration });
      return enumeration === undefined ? value : named(value, enumeration);
    }
    case "struct": {
      const o: Record<string | symbol, unknown> = {};
      let at = offset;
      for (const [name, s] of fieldsOf(shape as StructShape)) {
        o[name] = view(s, leaf, [...path, name], at);
        at += widthOf(s);
      }
      Object.defineProperty(o, shapeKey, { value: shape });
      Object.defineProperty(o, Symbol.toPrimitive, { value: structPrimitive });
      Object.defineProperty(o, "set", { value: (v: unknown) => setView(shape as StructShape, o, v, path.join("_")) });
      return o;
    }
    case "vec": {
      const element = shape.element as Shape,
        w = widthOf(element);
      return new VecView(
        shape,
        Array.from({ length: shape.length }, (_, i) => view(element, leaf, [...path, String(i)], offset + i * w)),
      );
    }
  }
}

const structPrimitive = (hint: string): never => refusePrimitive("a struct", hint);

class VecView {
  [Symbol.toPrimitive](hint: string): never {
    return refusePrimitive("a vec", hint);
  }
  readonly [shapeKey]: Shape;
  readonly elements: readonly unknown[];
  constructor(shape: Shape, elements: readonly unknown[]) {
    this[shapeKey] = shape;
    this.elements = elements;
  }
  get length(): number {
    return this.elements.length;
  }
  toArray(): readonly unknown[] {
    return this.elements;
  }
  get element(): Shape {
    return (this[shapeKey] as { element: Shape }).element;
  }
  at(i: number | Value): unknown {
    if (typeof i === "number") {
      const e = this.elements[i];
      if (e === undefined) {
        report("HDL110", `element ${i} of a vec of ${this.length}`, `Elements are 0 to ${this.length - 1}`);
        return this.elements[0];
      }
      return e;
    }
    const index = this.index(i);
    let chosen = this.chosen.get(index);
    if (chosen === undefined)
      this.chosen.set(
        index,
        (chosen = unpackExpr(this.element, make.pick(this.padded(index.width), index, widthOf(this.element)))),
      );
    return chosen;
  }
  /** Earlier choices of an index: one selector in hardware for all uses. */
  private readonly chosen = new WeakMap<Expr, unknown>();
  private side: Expr | undefined;
  /**
   * All elements side by side, padded to a power of two. So an index past the end reads 0 in hardware, in the evaluator
   * and in every simulator.
   */
  private padded(indexWidth: number): Expr {
    if (this.side === undefined) {
      const slots = 2 ** indexWidth,
        parts = [...this.elements].reverse().map(e => exprOf(pack(e)));
      if (slots > this.length) parts.unshift(make.constant(0n, (slots - this.length) * widthOf(this.element)));
      this.side = make.concat(parts);
    }
    return this.side;
  }
  private index(i: Value): Expr {
    const want = Math.max(1, Math.ceil(Math.log2(this.length)));
    return operand(i, want, false, `index of a vec of ${this.length}`);
  }
  setAt(i: Value, v: unknown): void {
    const index = this.index(i);
    const c = context(),
      position = userPosition();
    this.elements.forEach((e, n) => {
      const body: [] = [];
      withBlock(body, () => assignTo(e, v, "element"));
      c.block.push({
        kind: "if",
        cond: make.binary("eq", index, make.constant(BigInt(n), index.width)),
        then: body,
        otherwise: [],
        position,
      });
    });
  }
  set(v: unknown): void {
    const from = v instanceof VecView ? v.elements : Array.isArray(v) ? (v as readonly unknown[]) : [];
    if (from.length !== this.length) {
      report(
        "HDL110",
        `a vec of ${this.length} is set from ${from.length} elements`,
        "Give as many elements as the vec has",
      );
      return;
    }
    this.elements.forEach((e, n) => assignTo(e, from[n], "element"));
  }
}

function assignTo(target: unknown, v: unknown, name: string): void {
  if (target instanceof Variable) target.set(v);
  else if (target instanceof VecView) target.set(v);
  else if (isComposite(target)) setView(target[shapeKey] as StructShape, target as never, v, name);
  else
    report(
      "HDL111",
      `\`${name}\` cannot be driven: it is only readable here`,
      "Inputs are driven from outside, outputs and registers from inside",
    );
}

/** Name of a drivable struct: the name that its leaves share. */
function structName(shape: StructShape, target: Record<string, unknown>): string | undefined {
  const leaf = leavesOf(shape)[0] as Leaf;
  let x: unknown = target;
  for (const p of leaf.path) x = x instanceof VecView ? x.elements[Number(p)] : (x as Record<string, unknown>)[p];
  const end = `_${leaf.path.map(snakeCase).join("_")}`;
  return x instanceof Variable && x.signal.name.endsWith(end) ? x.signal.name.slice(0, -end.length) : undefined;
}

function setView(shape: StructShape, target: Record<string, unknown>, v: unknown, name: string): void {
  const label = `\`${structName(shape, target) ?? name}\``;
  if (typeof v !== "object" || v === null || v instanceof Value) {
    report("HDL112", `${label} is set from something that is not a struct`, `Give ${describeShape(shape)}`);
    return;
  }
  const from = v as Record<string, unknown>;
  for (const [field] of fieldsOf(shape)) {
    if (!(field in from))
      report("HDL112", `${label}: field ${field} is missing`, `Give all of ${describeShape(shape)}`);
    else assignTo(target[field], from[field], field);
  }
  for (const given of Object.keys(from)) {
    if (!(given in shape.fields))
      report(
        "HDL112",
        `${label} has no field ${given}`,
        `${didYouMean(given, Object.keys(shape.fields))}Its fields are ${Object.keys(shape.fields).join(", ")}`,
      );
  }
}

/** Drives any drivable view from a value of the same shape (structs by field). */
export function assignView(target: unknown, v: unknown, name: string): void {
  assignTo(target, v, name);
}

/** All bits of a value as one vector, first field or element lowest. */
export function pack<const V>(v: V): UInt<WidthOfValue<V>>;
export function pack(v: unknown): UInt {
  if (v instanceof Value) {
    const e = v[exprKey];
    return uintOf(e.signed ? make.cast(e) : e);
  }
  const parts: Expr[] = [];
  const walk = (x: unknown): void => {
    if (x instanceof Value) {
      const e = x[exprKey];
      parts.unshift(e.signed ? make.cast(e) : e);
    } else if (x instanceof VecView) x.elements.forEach(walk);
    else if (isComposite(x))
      for (const [f] of fieldsOf(x[shapeKey] as StructShape)) walk((x as unknown as Record<string, unknown>)[f]);
    else
      report(
        "HDL103",
        `pack: a value of the language is expected, got ${typeof x}`,
        "Wrap numbers with constant(value, width)",
      );
  };
  walk(v);
  return uintOf(make.concat(parts));
}

/** The bits of `e` as a shape. Each leaf is named after the `const` that the view is bound to. */
export function unpackExpr(shape: Shape, e: Expr): unknown {
  const position = userPosition(),
    bound = sourceName(position);
  const base = bound === undefined || bound.inner ? undefined : verilogName(bound.name);
  if (base !== undefined && shape.kind === "struct") hint(e, { name: `${base}_word`, always: false, position });
  return view(shape, l => {
    const s = make.slice(e, l.offset, l.width);
    if (base !== undefined) hint(s, { name: [base, ...l.path.map(snakeCase)].join("_"), always: true, position });
    return new Value(l.signed ? make.cast(s) : s);
  });
}

/** A vector of bits read as a shape; widths must agree. */
export function unpack<const S extends Shape, B extends UInt>(shape: S, v: B & BitsOf<S, B>): Val<S> {
  return unpackExpr(shape, operand(v, widthOf(shape), false, `unpack to ${describeShape(shape)}`)) as Val<S>;
}

/** Brings any value (or literal, or plain object of values) to leaf expressions of the shape, errors reported. */
export function leafExprs(shape: Shape, v: unknown, what: string): { readonly leaf: Leaf; readonly expr: Expr }[] {
  return leavesOf(shape).map(leaf => {
    let x: unknown = v;
    for (const p of leaf.path) {
      if (x instanceof VecView) x = x.elements[Number(p)];
      else if (Array.isArray(x)) x = (x as unknown[])[Number(p)];
      else if (typeof x === "object" && x !== null) x = (x as Record<string, unknown>)[p];
      else x = undefined;
    }
    return {
      leaf,
      expr: operand(
        x,
        leaf.width,
        leaf.signed,
        leaf.path.length === 0 ? what : `${what}, field ${leaf.path.join(".")}`,
        leaf.enumeration,
      ),
    };
  });
}

/** A literal value of a shape: numbers at the leaves. */
export function literalOf<const S extends Shape>(shape: S, v: unknown): Val<S> {
  const exprs = new Map(leafExprs(shape, v, "literal").map(x => [x.leaf.offset, x.expr]));
  return view(shape, l => new Value(exprs.get(l.offset) as Expr)) as Val<S>;
}

export type { Val, Var };
