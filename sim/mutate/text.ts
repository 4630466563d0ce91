/** Expressions as a person reads them. */
import type { Expr } from "./ir.ts";

const signs: Readonly<Record<string, string>> = {
  add: "+",
  sub: "-",
  mul: "*",
  and: "&",
  or: "|",
  xor: "^",
  eq: "==",
  ne: "!=",
  lt: "<",
  le: "<=",
  gt: ">",
  ge: ">=",
  not: "!",
  neg: "-",
  reduceAnd: "&",
  reduceOr: "|",
  reduceXor: "^",
};

/** The text of an expression; below `depth` levels there stands `...`. */
export function textOf(e: Expr, depth = 3): string {
  if (depth === 0 && e.kind !== "const" && e.kind !== "read") return "...";
  const of = (x: Expr): string => textOf(x, depth - 1);
  const inner = (x: Expr): string =>
    x.kind === "binary" || x.kind === "mux" || x.kind === "shift" ? `(${of(x)})` : of(x);
  switch (e.kind) {
    case "const":
      return e.label ?? String(e.signed ? BigInt.asIntN(e.width, e.value) : e.value);
    case "read":
      return e.signal.name;
    case "memRead":
      return `${e.memory.name}[${of(e.address)}]`;
    case "unary":
      return `${signs[e.op] ?? e.op}${inner(e.a)}`;
    case "binary":
      return `${inner(e.a)} ${signs[e.op] ?? e.op} ${inner(e.b)}`;
    case "shift":
      return `${inner(e.a)} ${e.op === "left" ? "<<" : ">>"} ${inner(e.by)}`;
    case "mux":
      return `${inner(e.cond)} ? ${inner(e.a)} : ${inner(e.b)}`;
    case "concat":
      return e.parts.length > 4 ? "{...}" : `{${e.parts.map(of).join(", ")}}`;
    case "slice":
      return `${inner(e.a)}[${e.width === 1 ? "" : `${e.lo + e.width - 1}:`}${e.lo}]`;
    case "pick":
      return `${inner(e.a)}[${of(e.index)}]`;
    case "extend":
    case "cast":
      return of(e.a);
  }
}
