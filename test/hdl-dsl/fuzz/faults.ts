/** Faults that an emitter could have: each one a change to what it lowers, wherever it fits. */
import type { VBinaryOp, VExpr, VStmt } from "../../../hdl-dsl/verilog/ast.ts";
import { binary, number, system, ternary, unary } from "../../../hdl-dsl/verilog/nodes.ts";
import type { Rewrite } from "./rewrite.ts";

export interface Fault extends Rewrite {
  readonly name: string;
}

const operator = (what: string, from: VBinaryOp, change: (a: VExpr, b: VExpr, e: VExpr) => VExpr): Fault => ({
  name: what,
  expr: e => (e.kind === "binary" && e.op === from ? change(e.a, e.b, e) : e),
});
const reduction = (what: string, from: "&" | "|" | "^", to: "&" | "|" | "^"): Fault => ({
  name: what,
  expr: e => (e.kind === "unary" && e.op === from ? unary(to, e.a) : e),
});
const isNumber = (e: VExpr): e is Extract<VExpr, { kind: "number" }> => e.kind === "number";
const isZero = (e: VExpr): boolean => isNumber(e) && e.value === 0n;
const not = (e: VExpr): VExpr => unary("~", e);
const asUnsigned = (e: VExpr): VExpr =>
  isNumber(e) ? { ...e, signed: false } : e.kind === "system" ? e.a : system(e, false);
const comparison = (e: VExpr): e is Extract<VExpr, { kind: "binary" }> =>
  e.kind === "binary" && ["<", "<=", ">", ">="].includes(e.op);
/** Whether it is the helper register of a memory's bypass. */
const endsWith = (e: VExpr, suffix: string): boolean =>
  (e.kind === "name" || e.kind === "range") && new RegExp(`_${suffix}(_\\d+)?$`).test(e.name);

/** One or more per operator and per kind of statement. */
export const faults: readonly Fault[] = [
  operator("add becomes or", "+", (a, b) => binary("|", a, b)),
  operator("operands of sub swapped", "-", (a, b) => binary("-", b, a)),
  operator("a - (b - c) printed without its parentheses", "-", (a, b, e) =>
    b.kind === "binary" && b.op === "-" ? binary("-", binary("-", a, b.a), b.b) : e,
  ),
  operator("a - (b + c) printed without its parentheses", "-", (a, b, e) =>
    b.kind === "binary" && b.op === "+" ? binary("+", binary("-", a, b.a), b.b) : e,
  ),
  operator("product becomes sum", "*", (a, b) => binary("+", a, b)),
  operator("and becomes or", "&", (a, b) => binary("|", a, b)),
  operator("or becomes xor", "|", (a, b) => binary("^", a, b)),
  operator("xor becomes or", "^", (a, b) => binary("|", a, b)),
  operator("equality inverted", "==", (a, b) => binary("!=", a, b)),
  operator("inequality becomes less", "!=", (a, b) => binary("<", a, b)),
  { name: "< becomes <=", expr: e => (comparison(e) && e.op === "<" ? { ...e, op: "<=" } : e) },
  { name: "> becomes >=", expr: e => (comparison(e) && e.op === ">" ? { ...e, op: ">=" } : e) },
  { name: ">= becomes >", expr: e => (comparison(e) && e.op === ">=" ? { ...e, op: ">" } : e) },
  { name: "<= becomes <", expr: e => (comparison(e) && e.op === "<=" ? { ...e, op: "<" } : e) },
  {
    name: "signed comparison becomes unsigned",
    expr: e => (comparison(e) && e.a.signed && e.b.signed ? { ...e, a: asUnsigned(e.a), b: asUnsigned(e.b) } : e),
  },
  {
    name: "unsigned comparison becomes signed",
    expr: e => (comparison(e) && !e.a.signed ? { ...e, a: system(e.a, true), b: system(e.b, true) } : e),
  },
  operator("left shift becomes right shift", "<<", (a, b) => binary(">>", a, b)),
  operator("right shift becomes left shift", ">>", (a, b) => binary("<<", a, b)),
  operator("arithmetic shift becomes logical", ">>>", (a, b) => binary(">>", a, b)),
  operator("shift by one too many", "<<", (a, b) => binary("<<", binary("<<", a, number(1n, 1)), b)),
  { name: "inversion dropped", expr: e => (e.kind === "unary" && e.op === "~" ? e.a : e) },
  { name: "negation becomes inversion", expr: e => (e.kind === "unary" && e.op === "-" ? not(e.a) : e) },
  {
    name: "~(a op b) printed without its parentheses",
    expr: e =>
      e.kind === "unary" && e.op === "~" && e.a.kind === "binary" && ["&", "|", "+", "-"].includes(e.a.op)
        ? { ...e.a, a: not(e.a.a) }
        : e,
  },
  reduction("all becomes any", "&", "|"),
  reduction("any becomes parity", "|", "^"),
  reduction("parity becomes any", "^", "|"),
  { name: "slice one bit too low", expr: e => (e.kind === "range" && e.lo > 0 ? { ...e, lo: e.lo - 1 } : e) },
  {
    name: "bit picked by a variable off by one",
    expr: e => (e.kind === "index" && !e.memory ? { ...e, index: binary("^", e.index, number(1n, e.index.width)) } : e),
  },
  { name: "element picked from the wrong end", expr: e => (e.kind === "part" ? { ...e, base: not(e.base) } : e) },
  {
    name: "arms of a choice swapped",
    expr: e => (e.kind === "ternary" && !endsWith(e.cond, "hit") ? ternary(e.cond, e.b, e.a) : e),
  },
  {
    name: "last arm of a chain of choices dropped",
    expr: e => (e.kind === "ternary" && e.b.kind === "ternary" ? { ...e, b: e.b.a } : e),
  },
  {
    name: "parts of a concatenation in reverse",
    expr: e => (e.kind === "concat" ? { ...e, parts: [...e.parts].reverse() } : e),
  },
  {
    name: "sign extension becomes zero extension",
    expr: e =>
      e.kind === "concat" && e.parts[0]?.kind === "repeat"
        ? { ...e, parts: [number(0n, e.parts[0].width), ...e.parts.slice(1)] }
        : e,
  },
  {
    name: "zero extension becomes one extension",
    expr: e =>
      e.kind === "concat" && e.parts[0] !== undefined && isZero(e.parts[0])
        ? { ...e, parts: [number(-1n, e.parts[0].width), ...e.parts.slice(1)] }
        : e,
  },
  { name: "repetition becomes zeros", expr: e => (e.kind === "repeat" ? number(0n, e.width) : e) },
  {
    name: "literal cut to 32 bits",
    expr: e => (isNumber(e) && e.width > 32 ? { ...e, value: e.value & 0xffffffffn } : e),
  },
  {
    name: "negative literal loses its sign",
    expr: e =>
      isNumber(e) && e.signed && e.width > 1 && e.value >> BigInt(e.width - 1) === 1n
        ? { ...e, value: e.value & ~(1n << BigInt(e.width - 1)) }
        : e,
  },
  { name: "state number off by one", item: i => (i.kind === "localparam" ? { ...i, value: i.value ^ 1n } : i) },
  {
    name: "condition inverted",
    statement: s => (s.kind === "if" && !isReset(s.cond) ? { ...s, cond: not(s.cond) } : s),
  },
  { name: "else branch dropped", statement: s => (s.kind === "if" && !isReset(s.cond) ? { ...s, otherwise: [] } : s) },
  {
    name: "else branch always taken",
    list: b =>
      b.flatMap((s): VStmt[] =>
        s.kind === "if" && !isReset(s.cond) && s.otherwise.length > 0 ? [{ ...s, otherwise: [] }, ...s.otherwise] : [s],
      ),
  },
  {
    name: "case label off by one",
    statement: s => (s.kind === "case" ? { ...s, on: binary("^", s.on, number(1n, s.on.width)) } : s),
  },
  {
    name: "second label of a case dropped",
    statement: s =>
      s.kind === "case" ? { ...s, items: s.items.map(i => ({ ...i, labels: i.labels.slice(0, 1) })) } : s,
  },
  { name: "default of a case dropped", statement: s => (s.kind === "case" ? { ...s, otherwise: [] } : s) },
  {
    name: "last case dropped",
    statement: s => (s.kind === "case" && s.items.length > 1 ? { ...s, items: s.items.slice(0, -1) } : s),
  },
  { name: "statements in reverse order", list: b => [...b].reverse() },
  { name: "partial assignment drives the lowest bits", target: e => (e.kind === "range" ? { ...e, lo: 0 } : e) },
  {
    name: "reset value inverted",
    statement: s =>
      s.kind === "if" && isReset(s.cond)
        ? {
            ...s,
            then: s.then.map(t =>
              t.kind === "nonblocking" && isNumber(t.value)
                ? { ...t, value: { ...t.value, value: ~t.value.value & ((1n << BigInt(t.value.width)) - 1n) } }
                : t,
            ),
          }
        : s,
  },
  { name: "reset left out", statement: s => (s.kind === "if" && isReset(s.cond) ? { ...s, cond: number(0n, 1) } : s) },
  {
    name: "initial value left out",
    item: i =>
      i.kind === "initial"
        ? {
            ...i,
            body: i.body.map(s =>
              s.kind === "blocking" && isNumber(s.value) ? { ...s, value: { ...s.value, value: 0n } } : s,
            ),
          }
        : i,
  },
  {
    name: "write mask ignored",
    statement: s =>
      s.kind === "if" && s.then[0]?.kind === "nonblocking" && s.then[0].target.kind === "lane"
        ? { ...s, cond: number(1n, 1) }
        : s,
  },
  {
    name: "write mask of the neighbouring lane",
    statement: s =>
      s.kind === "if" &&
      s.cond.kind === "range" &&
      s.then[0]?.kind === "nonblocking" &&
      s.then[0].target.kind === "lane"
        ? { ...s, cond: { ...s.cond, lo: s.cond.lo ^ 1 } }
        : s,
  },
  {
    name: "write enable ignored",
    list: b => b.flatMap((s): readonly VStmt[] => (s.kind === "if" && writesMemory(s.then) ? s.then : [s])),
  },
  { name: "bypass missing", expr: e => (e.kind === "ternary" && endsWith(e.cond, "hit") ? e.b : e) },
  {
    name: "bypass whatever the address",
    statement: s =>
      s.kind === "nonblocking" && endsWith(s.target, "hit") ? { ...s, value: number(-1n, s.target.width) } : s,
  },
  {
    name: "read of the wrong word",
    expr: e =>
      e.kind === "index" && e.memory
        ? {
            ...e,
            index: isNumber(e.index)
              ? { ...e.index, value: e.index.value ^ 1n }
              : binary("^", e.index, number(1n, e.index.width)),
          }
        : e,
  },
  { name: "a loop misses its last lane", statement: s => (s.kind === "for" ? { ...s, to: s.to - 1 } : s) },
  {
    name: "a loop writes all lanes",
    statement: s => (s.kind === "for" ? { ...s, body: s.body.flatMap(t => (t.kind === "if" ? t.then : [t])) } : s),
  },
  {
    name: "pins of an instance crossed",
    item: i => {
      if (i.kind !== "instance") return i;
      const ins = i.connections.filter(c => c.dir === "input" && /^(i\d|we)$/.test(c.port)).map(c => c.value);
      let n = 0;
      const turned = [...ins.slice(1), ...ins.slice(0, 1)];
      return {
        ...i,
        connections: i.connections.map(c =>
          c.dir === "input" && /^(i\d|we)$/.test(c.port) ? { ...c, value: turned[n++] ?? c.value } : c,
        ),
      };
    },
  },
];

function isReset(e: VExpr): boolean {
  return e.kind === "name" && (e.name === "rst" || e.name === "slow_rst");
}
function writesMemory(body: readonly VStmt[]): boolean {
  return body.some(s =>
    s.kind === "nonblocking"
      ? (s.target.kind === "index" && s.target.memory) || s.target.kind === "lane"
      : s.kind === "if" && writesMemory(s.then),
  );
}
