/** Conditions: when, switchOn, mux, and the properties that simulation checks and proofs use. */
import type { If, Property, Stmt, Switch } from "../ir/circuit.ts";
import type { Expr } from "../ir/expr.ts";
import * as make from "../ir/fold.ts";
import { hint } from "../ir/hints.ts";
import { leavesOf, type Shape } from "../types/shape.ts";
import type { Alternative, Bit, Num, Readable, UInt } from "../types/value.ts";
import { runBodyIn } from "./body.ts";
import { underEnable } from "./clock-enable.ts";
import { context, report, verilogName } from "./context.ts";
import { leafName } from "./declare.ts";
import { sourceName, userPosition } from "./position.ts";
import { conditionOf, exprOf, operand, Value } from "./value.ts";
import { leafExprs, shapeOf, view } from "./view.ts";

/** What follows a `when`: further conditions in order, then what holds in no case. */
export interface Else {
  elseWhen(cond: Bit, body: () => void): Else;
  otherwise(body: () => void): void;
}

/** Assignments in `body` take effect when `cond` is 1; chain elseWhen and otherwise. */
export function when(cond: Bit, body: () => void): Else {
  return branch(context().block, cond, body);
}

/**
 * Conditions within one another (each elseWhen is one in the else of the one before), beyond which tools and
 * readers give up.
 */
const DEEPEST = 1000;
const depths = new WeakMap<readonly Stmt[], number>();

/**
 * Clauses that may follow a `when`. A class: its methods cost nothing to make, and designs have as many as conditions.
 */
class Branch implements Else {
  readonly #otherwise: Stmt[];
  constructor(otherwise: Stmt[]) {
    this.#otherwise = otherwise;
  }
  elseWhen(cond: Bit, body: () => void): Else {
    return branch(this.#otherwise, cond, body);
  }
  otherwise(body: () => void): void {
    runBodyIn(this.#otherwise, "the body of otherwise", body);
  }
}

function branch(into: Stmt[], cond: Bit, body: () => void): Else {
  const position = userPosition();
  const depth = (depths.get(into) ?? 0) + 1;
  if (depth === DEEPEST + 1)
    report(
      "HDL122",
      `conditions nest more than ${DEEPEST} deep`,
      "Choose by a value with switchOn, or with a chain of mux",
    );
  const s: If = { kind: "if", cond: conditionOf(cond, "the condition of when"), then: [], otherwise: [], position };
  into.push(s);
  depths.set(s.then, depth).set(s.otherwise, depth);
  runBodyIn(s.then, "the body of when", body);
  return new Branch(s.otherwise);
}

/** The cases of a `switchOn`: `is` for one number or several, `otherwise` for the rest. */
export interface SwitchChain {
  is(label: Num | readonly Num[], body: () => void): SwitchChain;
  otherwise(body: () => void): void;
}

class Cases implements SwitchChain {
  readonly #statement: Switch & { readonly cases: { labels: Expr[]; body: Stmt[] }[] };
  readonly #seen = new Set<bigint>();
  constructor(statement: Switch & { readonly cases: { labels: Expr[]; body: Stmt[] }[] }) {
    this.#statement = statement;
  }
  is(label: Num | readonly Num[], body: () => void): SwitchChain {
    const { on, cases, position } = this.#statement;
    const labels = (Array.isArray(label) ? (label as readonly Num[]) : [label as Num]).map(n =>
      operand(n, on.width, on.signed, "a label of switchOn"),
    );
    for (const l of labels) {
      if (l.kind !== "const") continue;
      if (this.#seen.has(l.value))
        report(
          "HDL114",
          `the label ${l.value.toString()} stands twice in one switchOn`,
          "Merge the two cases",
          position,
        );
      this.#seen.add(l.value);
    }
    const c = { labels, body: [] as Stmt[] };
    cases.push(c);
    runBodyIn(c.body, "the body of a case", body);
    return this;
  }
  otherwise(body: () => void): void {
    this.#statement.otherwise = [];
    runBodyIn(this.#statement.otherwise, "the body of otherwise", body);
  }
}

/** One of several by the value of `on`; each label once, each within its width. */
export function switchOn(on: UInt): SwitchChain {
  const s = {
    kind: "switch" as const,
    on: exprOf(on, "switchOn"),
    cases: [],
    otherwise: undefined,
    position: userPosition(),
  };
  context().block.push(s);
  return new Cases(s);
}

/** `a` when `cond` is 1, otherwise `b`; values, structs and vecs alike. At least `a` is a value of the language. */
export function mux<V, B>(cond: Bit, a: V, b: B & Alternative<V, B>): Readable<V> {
  const c = conditionOf(cond, "the condition of mux");
  const shape: Shape | undefined = shapeOf(a) ?? shapeOf(b);
  if (shape === undefined) {
    report("HDL103", "mux: neither side is a value of the language", "Wrap one number with constant(value, width)");
    return a as Readable<V>;
  }
  const xs = leafExprs(shape, a, "mux"),
    ys = leafExprs(shape, b, "mux");
  const byOffset = new Map(xs.map((x, i) => [x.leaf.offset, make.mux(c, x.expr, (ys[i] as typeof x).expr)]));
  const position = userPosition(),
    bound = sourceName(position);
  if (bound !== undefined && !bound.inner)
    for (const x of xs) {
      const chosen = byOffset.get(x.leaf.offset) as Expr;
      hint(chosen, { name: leafName(verilogName(bound.name), x.leaf), always: false, position });
    }
  return view(shape, l => new Value(byOffset.get(l.offset) as Expr)) as Readable<V>;
}

/**
 * One of `options` by a one-hot select (bit i chooses option i); 0 when none. An and-or: one level deep
 * whatever the count.
 */
export function onehotMux<V>(select: readonly Bit[], options: readonly V[]): Readable<V> {
  const shape = shapeOf(options[0]);
  if (shape === undefined || select.length !== options.length) {
    report("HDL103", "onehotMux: as many values as select bits are expected", "Give one value for each select bit");
    return options[0] as Readable<V>;
  }
  const leaves = leavesOf(shape);
  const terms = options.map((o, i) =>
    leafExprs(shape, o, "onehotMux").map(x =>
      make.binary(
        "and",
        make.concat(Array.from({ length: x.leaf.width }, () => conditionOf(select[i], "onehotMux"))),
        x.expr.signed ? make.cast(x.expr) : x.expr,
      ),
    ),
  );
  const merged = new Map(
    leaves.map((l, n) => {
      let level = terms.map(t => t[n] as Expr);
      while (level.length > 1)
        level = level.flatMap((x, i) =>
          i % 2 === 1 ? [] : [i + 1 < level.length ? make.binary("or", x, level[i + 1] as Expr) : x],
        );
      const e = level[0] as Expr;
      return [l.offset, l.signed ? make.cast(e) : e];
    }),
  );
  return view(shape, l => new Value(merged.get(l.offset) as Expr)) as Readable<V>;
}

function property(what: "assert" | "assume" | "cover", cond: Bit, message: string): void {
  const c = context();
  c.domains.add(c.domain);
  const p: Property = {
    kind: "property",
    what,
    cond: conditionOf(cond, `the condition of ${what}Always`),
    message,
    domain: c.domain,
    position: userPosition(),
  };
  c.block.push(underEnable(p));
}
/**
 * Holds at every clock edge outside reset (within the surrounding `when`): a failure stops a simulation; proofs prove
 * it; synthesis drops it.
 */
export function assertAlways(cond: Bit, message: string): void {
  property("assert", cond, message);
}
/** Assumption about the surroundings: proofs take it as given, simulation checks it. */
export function assumeAlways(cond: Bit, message: string): void {
  property("assume", cond, message);
}
/** Must be reachable: proofs show that it is, so that asserts are not vacuous. */
export function cover(cond: Bit, message: string): void {
  property("cover", cond, message);
}
