/** Faults in an expression: what may stand in place of a node. */
import { exclude } from "./exclusive.ts";
import { type Binary, type Expr, not, number } from "./ir.ts";

export interface NodeOperator {
  readonly name: string;
  readonly what: string;
  /** Each is one fault. */
  readonly of: (e: Expr) => readonly Expr[];
}

const bounds = { lt: "le", le: "lt", gt: "ge", ge: "gt" } as const;
const turned = { eq: "ne", ne: "eq", lt: "ge", ge: "lt", gt: "le", le: "gt" } as const;
const isComparison = (e: Binary): boolean => e.op in turned;
const table = (t: Readonly<Record<string, Binary["op"]>>, e: Expr): readonly Expr[] => {
  const op = e.kind === "binary" ? t[e.op] : undefined;
  return e.kind === "binary" && op !== undefined ? [{ ...e, op }] : [];
};
const isFlag = (e: Expr): boolean => e.width === 1 && !e.signed;
const isNumber = (e: Expr): e is Extract<Expr, { kind: "const" }> =>
  e.kind === "const" && e.label === undefined && e.enumeration === undefined;

/** A constant one more and one less. */
export function shifted(e: Expr): readonly Expr[] {
  if (!isNumber(e) || e.width === 1) return [];
  return [number(e.value + 1n, e.width, e.signed), number(e.value - 1n, e.width, e.signed)];
}
/** A constant flag turned. */
export const flipped = (e: Expr): readonly Expr[] => (isNumber(e) && isFlag(e) ? [number(1n - e.value, 1)] : []);

/** Neighbours of equal width in a concatenation, exchanged. */
function exchanged(e: Expr): readonly Expr[] {
  if (e.kind !== "concat") return [];
  return e.parts.slice(1).flatMap((p, i) => {
    const before = e.parts[i];
    if (before === undefined || before.width !== p.width || before === p) return [];
    return [{ ...e, parts: e.parts.map((x, k) => (k === i ? p : k === i + 1 ? before : x)) }];
  });
}

export const nodeOperators: readonly NodeOperator[] = [
  { name: "bound", what: "a bound is off by one: < for <=", of: e => table(bounds, e) },
  { name: "comparison", what: "a comparison is turned: == for !=, < for >=", of: e => table(turned, e) },
  {
    name: "condition-dropped",
    what: "one side of an and or an or is missing",
    of: e => (e.kind === "binary" && (e.op === "and" || e.op === "or") && isFlag(e) ? [e.a, e.b] : []),
  },
  {
    name: "and-or",
    what: "an and is an or, and the other way round",
    of: e => (e.kind === "binary" && isFlag(e) ? table({ and: "or", or: "and" }, e) : []),
  },
  {
    name: "not-dropped",
    what: "a negation is missing",
    of: e => (e.kind === "unary" && e.op === "not" ? [e.a] : []),
  },
  {
    name: "reduction",
    what: "any bit for all bits, and the other way round",
    of: e =>
      e.kind === "unary" && (e.op === "reduceAnd" || e.op === "reduceOr")
        ? [{ ...e, op: e.op === "reduceAnd" ? "reduceOr" : "reduceAnd" }]
        : [],
  },
  {
    name: "constant",
    what: "a constant in a sum, comparison or choice is one more or one less",
    of: e => {
      if (e.kind === "binary" && (isComparison(e) || e.op === "add" || e.op === "sub"))
        return [...shifted(e.b).map(b => ({ ...e, b })), ...shifted(e.a).map(a => ({ ...e, a }))];
      if (e.kind === "mux") return [...shifted(e.a).map(a => ({ ...e, a })), ...shifted(e.b).map(b => ({ ...e, b }))];
      return [];
    },
  },
  { name: "arithmetic", what: "a sum is a difference", of: e => table({ add: "sub", sub: "add" }, e) },
  {
    name: "operands",
    what: "two operands of equal width are exchanged",
    of: e => (e.kind === "binary" && e.op === "sub" ? [{ ...e, a: e.b, b: e.a }] : exchanged(e)),
  },
  {
    name: "choice",
    what: "a choice always takes one side, or the other one",
    of: e => (e.kind === "mux" ? [e.a, e.b, { ...e, cond: not(e.cond) }] : []),
  },
  {
    name: "priority",
    what: "two conditions of a choice are asked in the other order",
    of: e =>
      e.kind === "mux" && e.b.kind === "mux" && !exclude(e.cond, e.b.cond)
        ? [{ ...e, cond: e.b.cond, a: e.b.a, b: { ...e.b, cond: e.cond, a: e.a } }]
        : [],
  },
  {
    name: "slice",
    what: "a slice is off by one",
    of: e =>
      e.kind !== "slice"
        ? []
        : [e.lo + 1, e.lo - 1].filter(lo => lo >= 0 && lo + e.width <= e.a.width).map(lo => ({ ...e, lo })),
  },
  {
    name: "shift",
    what: "a shift goes the other way",
    of: e => (e.kind === "shift" ? [{ ...e, op: e.op === "left" ? "right" : "left" }] : []),
  },
];
