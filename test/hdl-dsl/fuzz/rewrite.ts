/**
 * Changes lowered modules: every expression from the leaves up, every list of statements from the
 * innermost, every item.
 */
import type { VExpr, VItem, VModule, VStmt } from "../../../hdl-dsl/verilog/ast.ts";

export interface Rewrite {
  readonly expr?: (e: VExpr) => VExpr;
  /** Never sees what stands on the left of an assignment. */
  readonly target?: (e: VExpr) => VExpr;
  readonly statement?: (s: VStmt) => VStmt;
  readonly list?: (body: readonly VStmt[]) => readonly VStmt[];
  readonly item?: (i: VItem) => VItem;
}

export function rewritten(m: VModule, r: Rewrite): VModule {
  const expr = (e: VExpr): VExpr => {
    const inner = ((): VExpr => {
      switch (e.kind) {
        case "number":
        case "name":
        case "range":
          return e;
        case "index":
        case "lane":
          return { ...e, index: expr(e.index) };
        case "part":
          return { ...e, base: expr(e.base) };
        case "unary":
        case "repeat":
        case "system":
          return { ...e, a: expr(e.a) };
        case "binary":
          return { ...e, a: expr(e.a), b: expr(e.b) };
        case "ternary":
          return { ...e, cond: expr(e.cond), a: expr(e.a), b: expr(e.b) };
        case "concat":
          return { ...e, parts: e.parts.map(expr) };
      }
    })();
    return r.expr?.(inner) ?? inner;
  };
  const target = (e: VExpr): VExpr => r.target?.(e) ?? e;
  const statement = (s: VStmt): VStmt => {
    const inner = ((): VStmt => {
      switch (s.kind) {
        case "nonblocking":
        case "blocking":
          return { ...s, target: target(s.target), value: expr(s.value) };
        case "if":
          return { ...s, cond: expr(s.cond), then: list(s.then), otherwise: list(s.otherwise) };
        case "case":
          return {
            ...s,
            on: expr(s.on),
            items: s.items.map(i => ({ ...i, body: list(i.body) })),
            otherwise: list(s.otherwise),
          };
        case "for":
          return { ...s, body: list(s.body) };
        case "property":
        case "fail":
          return s;
      }
    })();
    return r.statement?.(inner) ?? inner;
  };
  const list = (body: readonly VStmt[]): readonly VStmt[] => {
    const b = body.map(statement);
    return r.list?.(b) ?? b;
  };
  const item = (i: VItem): VItem => {
    const inner = ((): VItem => {
      switch (i.kind) {
        case "declare":
          return i.value === undefined || i.name.startsWith("_unused") ? i : { ...i, value: expr(i.value) };
        case "assign":
          return { ...i, target: target(i.target), value: expr(i.value) };
        case "always":
        case "initial":
          return { ...i, body: list(i.body) };
        case "instance":
        case "guarded":
        case "localparam":
        case "integer":
        case "blank":
          return i;
      }
    })();
    return r.item?.(inner) ?? inner;
  };
  return { ...m, items: m.items.map(item) };
}
