/** Expressions by precedence (IEEE 1364-2005 table 5-4). */
import type { Cursor } from "./cursor.ts";
import type { Expression } from "./syntax.ts";
import { unreadable } from "./unreadable.ts";

/** Binary operators, those that bind least first. */
const LEVELS: readonly (readonly string[])[] = [
  ["||"],
  ["&&"],
  ["|"],
  ["^", "~^", "^~"],
  ["&"],
  ["==", "!=", "===", "!=="],
  ["<", "<=", ">", ">="],
  ["<<", ">>", "<<<", ">>>"],
  ["+", "-"],
  ["*", "/", "%"],
  ["**"],
];
const LEVEL = new Map(LEVELS.flatMap((ops, n) => ops.map(op => [op, n] as const)));
const UNARY: ReadonlySet<string> = new Set(["~", "!", "-", "+", "&", "|", "^", "~&", "~|", "~^", "^~"]);

export function expression(c: Cursor): Expression {
  const at = c.place,
    cond = binary(c, 0);
  if (!c.takes("?")) return cond;
  const a = expression(c);
  c.need(":");
  return { kind: "ternary", cond, a, b: expression(c), at };
}

function binary(c: Cursor, lowest: number): Expression {
  const at = c.place;
  let a = unary(c);
  for (;;) {
    const op = c.next.kind === "symbol" ? c.next.text : "",
      level = LEVEL.get(op);
    if (level === undefined || level < lowest) return a;
    c.take();
    a = { kind: "binary", op, a, b: binary(c, level + 1), at };
  }
}

function unary(c: Cursor): Expression {
  const at = c.place;
  if (c.next.kind !== "symbol" || !UNARY.has(c.next.text)) return primary(c);
  const op = c.take().text;
  return { kind: "unary", op, a: unary(c), at };
}

function primary(c: Cursor): Expression {
  const at = c.place,
    t = c.next;
  if (t.kind === "number") return number(c);
  if (t.kind === "string") return { kind: "string", text: c.take().text, at };
  if (c.takes("(")) {
    const e = expression(c);
    c.need(")");
    return e;
  }
  if (c.takes("{")) return braces(c, at);
  if (c.is("$signed") || c.is("$unsigned")) {
    const signed = c.take().text === "$signed";
    c.need("(");
    const a = expression(c);
    c.need(")");
    return { kind: "sign", signed, a, at };
  }
  if (t.kind !== "name" || t.text.startsWith("$")) throw c.surprise("an expression");
  return selected(c, { kind: "name", name: c.path(), at });
}

function braces(c: Cursor, at: Expression["at"]): Expression {
  const first = expression(c);
  if (c.takes("{")) {
    const parts = c.list("}", () => expression(c));
    c.need("}");
    const a: Expression = parts.length === 1 && parts[0] !== undefined ? parts[0] : { kind: "concat", parts, at };
    return { kind: "repeat", count: first, a, at };
  }
  const parts = [first];
  while (c.takes(",")) parts.push(expression(c));
  c.need("}");
  return { kind: "concat", parts, at };
}

/** Selects behind a name, a memory's word among them. */
function selected(c: Cursor, of: Expression): Expression {
  let e = of;
  for (;;) {
    const at = c.place;
    if (!c.takes("[")) return e;
    const first = expression(c);
    if (c.takes(":")) e = { kind: "range", of: e, high: first, low: expression(c), at };
    else if (c.is("+:") || c.is("-:")) {
      const down = c.take().text === "-:";
      e = { kind: "part", of: e, base: first, width: expression(c), down, at };
    } else e = { kind: "bit", of: e, index: first, at };
    c.need("]");
  }
}

const BASES: Readonly<Record<string, string>> = { b: "0b", o: "0o", d: "", h: "0x" };

/** A bit that is open (x) is 0, as Verilator has it. */
function number(c: Cursor): Expression {
  const at = c.place,
    text = c.take().text.replace(/[\s_]/g, ""),
    [size = "", rest] = text.split("'");
  if (rest === undefined) return { kind: "number", value: BigInt(size), width: undefined, signed: true, at };
  const signed = /^s/i.test(rest),
    digits = signed ? rest.slice(1) : rest;
  if (/[z?]/i.test(digits.slice(1))) throw unreadable(at, `the number ${text}, whose bits are not all 0 or 1`);
  const width = size === "" ? undefined : Number(size);
  const value = BigInt(`${BASES[digits.charAt(0).toLowerCase()] ?? ""}${digits.slice(1).replace(/x/gi, "0")}`);
  return { kind: "number", value: BigInt.asUintN(width ?? 32, value), width, signed, at };
}
