/**
 * Bits that nothing reads: named in one place, so that linters stay quiet without waivers and a reader sees what
 * is left out.
 */
import type { VExpr, VItem, VModule, VStmt } from "./ast.ts";
import { concat, name, number, range, unary } from "./nodes.ts";

const NONE: readonly [number, number][] = [];

/** Bits of each name that are read. */
class Reads {
  readonly #whole = new Set<string>();
  readonly #parts = new Map<string, [number, number][]>();

  expr(e: VExpr): void {
    switch (e.kind) {
      case "number":
        return;
      case "name":
        this.#whole.add(e.name);
        return;
      case "range": {
        const list = this.#parts.get(e.name);
        if (list === undefined) this.#parts.set(e.name, [[e.lo, e.lo + e.width]]);
        else list.push([e.lo, e.lo + e.width]);
        return;
      }
      case "index":
      case "lane":
        this.#whole.add(e.name);
        this.expr(e.index);
        return;
      case "part":
        this.#whole.add(e.name);
        this.expr(e.base);
        return;
      case "unary":
      case "repeat":
      case "system":
        this.expr(e.a);
        return;
      case "binary":
        this.expr(e.a);
        this.expr(e.b);
        return;
      case "ternary":
        this.expr(e.cond);
        this.expr(e.a);
        this.expr(e.b);
        return;
      case "concat":
        for (const p of e.parts) this.expr(p);
    }
  }

  /** The target of an assignment reads its index only. */
  target(e: VExpr): void {
    if (e.kind === "index" || e.kind === "lane") this.expr(e.index);
    else if (e.kind === "part") this.expr(e.base);
  }

  statements(body: readonly VStmt[]): void {
    for (const s of body) {
      switch (s.kind) {
        case "nonblocking":
        case "blocking":
          this.target(s.target);
          this.expr(s.value);
          break;
        case "if":
          this.expr(s.cond);
          this.statements(s.then);
          this.statements(s.otherwise);
          break;
        case "case":
          this.expr(s.on);
          for (const i of s.items) {
            for (const l of i.labels) this.expr(l);
            this.statements(i.body);
          }
          this.statements(s.otherwise);
          break;
        case "property":
          this.expr(s.cond);
          break;
        case "for":
          this.statements(s.body);
          break;
        case "fail":
          break;
      }
    }
  }

  item(i: VItem): void {
    switch (i.kind) {
      case "declare":
        if (i.value !== undefined) this.expr(i.value);
        break;
      case "assign":
        this.target(i.target);
        this.expr(i.value);
        break;
      case "always":
        this.#whole.add(i.clock);
        if (i.reset !== undefined) this.#whole.add(i.reset);
        this.statements(i.body);
        break;
      case "initial":
        this.statements(i.body);
        break;
      case "instance":
        for (const c of i.connections) if (c.dir === "input") this.expr(c.value);
        break;
      case "guarded":
        for (const g of i.simulation) this.item(g);
        break;
      case "localparam":
      case "integer":
      case "blank":
        break;
    }
  }

  /** Runs of unread bits, as [lo, width], from the top. */
  unread(of: string, width: number): readonly [number, number][] {
    if (this.#whole.has(of)) return NONE;
    const parts = this.#parts.get(of) ?? [];
    if (parts.length > 1) parts.sort((a, b) => a[0] - b[0]);
    const out: [number, number][] = [];
    let from = 0;
    for (const [lo, hi] of parts) {
      if (lo > from) out.unshift([from, lo - from]);
      from = Math.max(from, hi);
    }
    if (from < width) out.unshift([from, width - from]);
    return out;
  }
}

/**
 * The expression `&{1'b0, unread bits ..., 1'b0}`, or undefined when every bit of every wire, register and
 * input is read.
 */
export function unusedBits(m: VModule): VExpr | undefined {
  const reads = new Reads();
  for (const i of m.items) reads.item(i);
  const out: VExpr[] = [];
  const look = (text: string, width: number): void => {
    for (const [lo, w] of reads.unread(text, width)) out.push(range(name(text, width), lo, w));
  };
  for (const p of m.ports) if (p.dir === "input") look(p.name, p.width);
  for (const i of m.items) if (i.kind === "declare" && i.depth === undefined) look(i.name, i.width);
  return out.length === 0 ? undefined : unary("&", concat([number(0n, 1), ...out, number(0n, 1)]));
}
