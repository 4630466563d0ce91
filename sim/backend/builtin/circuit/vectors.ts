/** Rewriting of what was written bit by bit: one operation on vectors instead of one per bit. */
import { arg, isZero, type Node, type Op } from "./node.ts";
import type { Graph } from "./graph.ts";

/** The same bit side by side is its sign extension. Runs of at least `LEAST` copies within a longer row count too. */
const LEAST = 3;

export function repeated(g: Graph, parts: readonly Node[]): Node | undefined {
  const first = parts[0] as Node;
  if (first.width === 1 && first.op !== "const" && parts.every(p => p === first)) return g.sext(first, parts.length);
  let found = false;
  const out: Node[] = [];
  for (let i = 0; i < parts.length;) {
    const p = parts[i] as Node;
    let n = 1;
    while (p.width === 1 && p.op !== "const" && parts[i + n] === p) n++;
    if (n >= LEAST) {
      out.push(g.sext(p, n));
      found = true;
    } else for (let k = 0; k < n; k++) out.push(p);
    i += n;
  }
  return found ? g.concat(out) : undefined;
}

const BITWISE: ReadonlySet<Op> = new Set<Op>(["and", "or", "xor", "not", "mux"]);

/** The bit or part as what lies side by side in a vector: the vector and the place in it. */
const place = (n: Node): { readonly of: Node; readonly lo: number } =>
  n.op === "slice" ? { of: arg(n, 0), lo: n.lo } : { of: n, lo: 0 };

/** Whether `b` is the part that follows `a`, so that a row of them is a slice of one vector (or of constants). */
function follows(a: Node, b: Node): boolean {
  if (a.op === "const" && b.op === "const") return true;
  const x = place(a),
    y = place(b);
  return a.op === "slice" && b.op === "slice" && x.of === y.of && y.lo === x.lo + a.width;
}

/**
 * A row of the same bitwise operator on neighbouring parts is that operator on the vectors. Every operand must be
 * neighbouring, or the same for all parts (then it is repeated); else nothing is gained.
 */
export function gather(g: Graph, parts: readonly Node[]): Node | undefined {
  if (parts.length < LEAST || parts.length > 4096) return undefined;
  const out: Node[] = [];
  let found = false;
  for (let i = 0; i < parts.length;) {
    const n = rowFrom(parts, i);
    if (n < LEAST) {
      out.push(parts[i++] as Node);
      continue;
    }
    out.push(joined(g, parts.slice(i, i + n)));
    found = true;
    i += n;
  }
  if (!found) return undefined;
  return g.concat(out);
}

/** Length of the row of like parts that begins at `from`. */
function rowFrom(parts: readonly Node[], from: number): number {
  const first = parts[from] as Node;
  if (!BITWISE.has(first.op)) return 1;
  let like: boolean[] | undefined;
  let n = 1;
  for (; from + n < parts.length; n++) {
    const last = parts[from + n - 1] as Node,
      p = parts[from + n] as Node;
    if (p.op !== first.op || p.width !== first.width || p.args.length !== first.args.length) break;
    const ways = p.args.map((a, k) => {
      if (first.op === "mux" && k === 0) return a === arg(last, 0) ? "same" : "no";
      if (follows(arg(last, k), a)) return "next";
      return a === arg(last, k) && a.width === 1 && !isZero(a) ? "same" : "no";
    });
    if (ways.includes("no") || !ways.includes("next")) break;
    const now = ways.map(w => w === "next");
    if (like?.some((x, k) => x !== now[k]) === true) break;
    like = now;
  }
  return n;
}

function joined(g: Graph, row: readonly Node[]): Node {
  const first = row[0] as Node,
    width = row.reduce((n, p) => n + p.width, 0);
  const operand = (k: number): Node => {
    const list = row.map(p => arg(p, k));
    if (first.op === "mux" && k === 0) return list[0] as Node;
    return list.every(a => a === list[0] && a.op !== "const") ? g.sext(list[0] as Node, width) : g.concat(list);
  };
  switch (first.op) {
    case "and":
      return g.and(operand(0), operand(1));
    case "or":
      return g.or(operand(0), operand(1));
    case "xor":
      return g.xor(operand(0), operand(1));
    case "not":
      return g.not(operand(0));
    case "mux":
      return g.mux(operand(0), operand(1), operand(2));
    default:
      throw new Error(`${first.op} is not bitwise`);
  }
}
