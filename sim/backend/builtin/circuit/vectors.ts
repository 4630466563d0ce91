/** Rewriting of what was written bit by bit: one operation on vectors instead of one per bit. */
import { arg, isZero, type Node, type Op } from "./node.ts";
import type { Graph } from "./graph.ts";

/** Fewer copies of a bit than this, or fewer like operators, stay as they are. */
const LEAST = 3;

/** All parts of parts, with each run of one bit as its sign extension. */
export function runs(g: Graph, list: readonly Node[]): readonly Node[] {
  const flat = list.some(p => p.op === "concat") ? list.flatMap(p => (p.op === "concat" ? p.args : [p])) : list;
  if (!flat.some((p, i) => p.width === 1 && p === flat[i + 2])) return flat;
  const out: Node[] = [];
  for (let i = 0; i < flat.length;) {
    const p = flat[i] as Node;
    let n = 1;
    while (p.width === 1 && p.op !== "const" && flat[i + n] === p) n++;
    if (n >= LEAST) out.push(g.sext(p, n));
    else for (let k = 0; k < n; k++) out.push(p);
    i += n;
  }
  return out;
}

/** One bit only, side by side. */
function repeated(g: Graph, parts: readonly Node[]): Node | undefined {
  const first = parts[0] as Node;
  return first.width === 1 && first.op !== "const" && parts.every(p => p === first)
    ? g.sext(first, parts.length)
    : undefined;
}

/** Comparisons of one value with 0, 1, 2 and so on: a one at its place. */
function decoded(g: Graph, parts: readonly Node[]): Node | undefined {
  const out: Node[] = [];
  for (let i = 0; i < parts.length;) {
    const n = codesFrom(parts, i),
      first = parts[i] as Node;
    if (n > LEAST) out.push(g.shl(g.constant(1n, n), arg(first, 0)));
    else out.push(...parts.slice(i, i + n));
    i += n;
  }
  return out.length === parts.length ? undefined : g.concat(out);
}

/** How many parts from `from` on compare one value with 0, 1 and so on; at least 1. */
function codesFrom(parts: readonly Node[], from: number): number {
  const first = parts[from] as Node;
  if (first.op !== "eq") return 1;
  const index = arg(first, 0),
    most = Math.min(64, 2 ** index.width, parts.length - from);
  const is = (p: Node, k: number): boolean =>
    p.op === "eq" && arg(p, 0) === index && arg(p, 1).op === "const" && arg(p, 1).value === BigInt(k);
  let n = 0;
  while (n < most && is(parts[from + n] as Node, n)) n++;
  return Math.max(1, n);
}

const BYTES = 0x0101_0101_0101_0101n;

/**
 * Eight bits that each fill a byte, as a mask of byte lanes does: a copy of all of them in each byte, of which each
 * byte keeps its own; what is not 0 becomes 255.
 */
function spread(g: Graph, parts: readonly Node[]): Node | undefined {
  const out: Node[] = [];
  for (let i = 0; i < parts.length;) {
    const eight = parts.slice(i, i + 8);
    if (eight.length < 8 || !eight.every(isByteOfBit)) {
      out.push(parts[i++] as Node);
      continue;
    }
    out.push(eightBytes(g, g.concat(eight.map(p => arg(p, 0)))));
    i += 8;
  }
  return out.length === parts.length ? undefined : g.concat(out);
}

function eightBytes(g: Graph, bits: Node): Node {
  const c = (value: bigint): Node => g.constant(value, 64);
  const copies = g.mul(g.zext(bits, 64), c(BYTES)),
    own = g.and(copies, c(0x8040_2010_0804_0201n)),
    tops = g.and(g.add(own, c(0x7f7f_7f7f_7f7f_7f7fn)), c(0x80n * BYTES));
  // Of 0x80 in a byte: 0x100 - 0x01, in all bytes at once; what is carried out of the top is lost.
  return g.sub(g.add(tops, tops), g.shr(tops, c(7n)));
}

const isByteOfBit = (n: Node): boolean => n.op === "sext" && n.width === 8 && arg(n, 0).width === 1;

/** Bytes of two vectors, each chosen by a bit of its own, as a write with byte lanes does: a mask chooses. */
function lanes(g: Graph, parts: readonly Node[]): Node | undefined {
  const out: Node[] = [];
  for (let i = 0; i < parts.length;) {
    const eight = parts.slice(i, i + 8);
    if (eight.length < 8 || !eight.every((p, k) => isLane(p, eight[k - 1]))) {
      out.push(parts[i++] as Node);
      continue;
    }
    const operand = (k: number): Node => g.concat(eight.map(p => arg(p, k)));
    const [mask, a, b] = [eightBytes(g, operand(0)), operand(1), operand(2)];
    out.push(g.xor(b, g.and(g.xor(a, b), mask)));
    i += 8;
  }
  return out.length === parts.length ? undefined : g.concat(out);
}

/** Whether a byte is chosen, of vectors whose next byte it is. */
function isLane(n: Node, before: Node | undefined): boolean {
  if (n.op !== "mux" || n.width !== 8) return false;
  return before === undefined || [1, 2].every(k => arg(n, k).op === "slice" && follows(arg(before, k), arg(n, k)));
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
function gather(g: Graph, parts: readonly Node[]): Node | undefined {
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

/** What a concatenation is made instead; undefined when it stays one. */
export function rewritten(g: Graph, parts: readonly Node[]): Node | undefined {
  for (const rule of [decoded, repeated, spread, lanes, gather]) {
    const better = rule(g, parts);
    if (better !== undefined) return better;
  }
  return undefined;
}
