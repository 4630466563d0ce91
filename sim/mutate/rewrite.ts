/** Changed copies of statements and expressions; what does not change stays the same object. */
import { type Circuit, type Expr, operandsOf, postOrder, type Stmt } from "./ir.ts";

/** A change of one object of the circuit, made for as long as the fault is in. */
export interface Edit {
  readonly holder: object;
  readonly change: Readonly<Record<string, unknown>>;
}
export type ExprMap = (e: Expr) => Expr;
export type StmtMap = (s: Stmt) => readonly Stmt[];

const same: ExprMap = e => e;
export const keep: StmtMap = s => [s];

/** The node with other operands, in the order of `operandsOf`. */
function withOperands(e: Expr, to: readonly Expr[]): Expr {
  const old = operandsOf(e);
  if (old.every((o, i) => o === to[i])) return e;
  const [x = e, y = e, z = e] = to;
  switch (e.kind) {
    case "const":
    case "read":
      return e;
    case "memRead":
      return { ...e, address: x };
    case "unary":
    case "slice":
    case "extend":
    case "cast":
      return { ...e, a: x };
    case "binary":
      return { ...e, a: x, b: y };
    case "shift":
      return { ...e, a: x, by: y };
    case "mux":
      return { ...e, cond: x, a: y, b: z };
    case "concat":
      return { ...e, parts: to };
    case "pick":
      return { ...e, a: x, index: y };
  }
}

/** Puts `to` wherever the node `from` stands. */
export function substitution(from: Expr, to: Expr): ExprMap {
  const made = new Map<Expr, Expr>([[from, to]]);
  return root => {
    postOrder(root, made, e =>
      made.set(
        e,
        withOperands(
          e,
          operandsOf(e).map(o => made.get(o) ?? o),
        ),
      ),
    );
    return made.get(root) ?? root;
  };
}

/** The statements with their expressions mapped, then each replaced. Checks (assertions) stay as they are. */
export function mapBody(body: readonly Stmt[], value: ExprMap, statement: StmtMap = keep): Stmt[] {
  const block = (list: readonly Stmt[]): Stmt[] =>
    list.flatMap(s => {
      const by = statement(s);
      return by.length === 1 && by[0] === s ? [inside(s)] : by;
    });
  const inside = (s: Stmt): Stmt => {
    switch (s.kind) {
      case "assign":
        return { ...s, value: value(s.value) };
      case "if":
        return { ...s, cond: value(s.cond), then: block(s.then), otherwise: block(s.otherwise) };
      case "switch":
        return {
          ...s,
          on: value(s.on),
          cases: s.cases.map(c => ({ labels: c.labels, body: block(c.body) })),
          otherwise: s.otherwise === undefined ? undefined : block(s.otherwise),
        };
      case "memWrite":
        return {
          ...s,
          address: value(s.address),
          data: value(s.data),
          mask: s.mask === undefined ? undefined : value(s.mask),
        };
      case "property":
        return s;
    }
  };
  return block(body);
}

/** The edits that put `to` for a node, in statements and at the read ports of memories. */
export function replaceNode(c: Circuit, from: Expr, to: Expr): readonly Edit[] {
  const map = substitution(from, to);
  const ports = c.memories
    .flatMap(m => m.readPorts)
    .map(p => ({
      holder: p,
      change: { address: map(p.address), enable: p.enable === undefined ? undefined : map(p.enable) },
    }));
  return [{ holder: c, change: { body: mapBody(c.body, map) } }, ...ports];
}

/** The edit that puts other statements for one. */
export const replaceStatements = (c: Circuit, by: ReadonlyMap<Stmt, readonly Stmt[]>): readonly Edit[] => [
  { holder: c, change: { body: mapBody(c.body, same, s => by.get(s) ?? [s]) } },
];
