/**
 * Vectors whose bits depend on other bits of themselves (a ripple carry). That is no loop, but simulators schedule
 * whole vectors and would take it for one. So such a vector gets one wire for each run of bits that is driven together.
 */
import type { Circuit, Signal } from "../ir/circuit.ts";
import { type Expr, operandsOf } from "../ir/expr.ts";
import type { Resolution } from "../ir/resolve.ts";
import type { VExpr, VItem, VName, VStmt } from "./ast.ts";
import { concat, range } from "./nodes.ts";

type Vertex = Expr | Signal;

/**
 * Signals driven in several parts that depend on themselves when taken whole. Linear: Tarjan's components over signals
 * and expression nodes.
 */
export function selfDependent(circuit: Circuit, resolution: Resolution): Set<Signal> {
  const out = new Set<Signal>();
  const parted = circuit.signals.filter(s => s.kind !== "reg" && (resolution.segments.get(s)?.length ?? 0) > 1);
  if (parted.length === 0) return out;
  const isParted = new Set(parted);
  const isSignal = (v: Vertex): v is Signal => "name" in v;
  const next = (v: Vertex): readonly Vertex[] => {
    if (isSignal(v)) return v.kind === "reg" ? [] : (resolution.segments.get(v) ?? []).flatMap(g => g.value ?? []);
    return v.kind === "read" ? [v.signal] : operandsOf(v);
  };
  const order = new Map<Vertex, number>(),
    low = new Map<Vertex, number>();
  const open: Vertex[] = [],
    isOpen = new Set<Vertex>();
  for (const root of parted) {
    if (order.has(root)) continue;
    const stack: { readonly v: Vertex; readonly next: readonly Vertex[]; at: number }[] = [];
    const enter = (v: Vertex): void => {
      order.set(v, order.size);
      low.set(v, order.size - 1);
      open.push(v);
      isOpen.add(v);
      stack.push({ v, next: next(v), at: 0 });
    };
    const lower = (v: Vertex, n: number): void => {
      if (n < (low.get(v) ?? 0)) low.set(v, n);
    };
    enter(root);
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const n = top.next[top.at++];
      if (n !== undefined) {
        if (!order.has(n)) enter(n);
        else if (isOpen.has(n)) lower(top.v, order.get(n) ?? 0);
        continue;
      }
      stack.pop();
      const above = stack.at(-1);
      if (above !== undefined) lower(above.v, low.get(top.v) ?? 0);
      if (low.get(top.v) !== order.get(top.v)) continue;
      const component: Vertex[] = [];
      for (let v = open.pop(); v !== undefined; v = open.pop()) {
        isOpen.delete(v);
        component.push(v);
        if (v === top.v) break;
      }
      // Expressions are acyclic: more than one vertex means a way through a signal and back.
      if (component.length > 1) for (const v of component) if (isSignal(v) && isParted.has(v)) out.add(v);
    }
  }
  return out;
}

/** The wire that carries bits lo .. lo+name.width-1 of a split vector. */
export interface Piece {
  readonly lo: number;
  readonly name: VName;
}

/** Selects from split vectors become selects from their pieces; whole reads stay. */
export function throughPieces(items: readonly VItem[], pieces: ReadonlyMap<string, readonly Piece[]>): VItem[] {
  const expr = (e: VExpr): VExpr => {
    switch (e.kind) {
      case "number":
      case "name":
        return e;
      case "range": {
        const all = pieces.get(e.name);
        if (all === undefined) return e;
        const parts = all.flatMap(p => {
          const from = Math.max(e.lo, p.lo),
            to = Math.min(e.lo + e.width, p.lo + p.name.width);
          return from < to ? [range(p.name, from - p.lo, to - from)] : [];
        });
        return concat(parts.reverse());
      }
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
        return concat(e.parts.map(expr));
    }
  };
  const statements = (body: readonly VStmt[]): VStmt[] =>
    body.map((s): VStmt => {
      switch (s.kind) {
        case "nonblocking":
        case "blocking":
          return { ...s, target: s.target.kind === "range" ? s.target : expr(s.target), value: expr(s.value) };
        case "if":
          return { ...s, cond: expr(s.cond), then: statements(s.then), otherwise: statements(s.otherwise) };
        case "case":
          return {
            ...s,
            on: expr(s.on),
            items: s.items.map(i => ({ labels: i.labels.map(expr), body: statements(i.body) })),
            otherwise: statements(s.otherwise),
          };
        case "property":
          return { ...s, cond: expr(s.cond) };
        case "for":
          return { ...s, body: statements(s.body) };
        case "fail":
          return s;
      }
    });
  return items.map((i): VItem => {
    switch (i.kind) {
      case "declare":
        return i.value === undefined ? i : { ...i, value: expr(i.value) };
      case "assign":
        return { ...i, value: expr(i.value) };
      case "always":
        return { ...i, body: statements(i.body) };
      case "instance":
        return { ...i, connections: i.connections.map(c => (c.dir === "input" ? { ...c, value: expr(c.value) } : c)) };
      case "guarded":
        return { ...i, formal: throughPieces(i.formal, pieces), simulation: throughPieces(i.simulation, pieces) };
      case "localparam":
      case "initial":
      case "integer":
      case "blank":
        return i;
    }
  });
}
