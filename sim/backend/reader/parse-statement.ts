/** Statements of `always` and `initial` blocks. */
import type { Cursor } from "./cursor.ts";
import { expression } from "./parse-expression.ts";
import type { Expression, Statement } from "./syntax.ts";

export function statement(c: Cursor): Statement {
  const at = c.place;
  if (c.takes(";")) return { kind: "block", body: [], at };
  if (c.takes("begin")) {
    if (c.takes(":")) c.name();
    const body: Statement[] = [];
    while (!c.takes("end")) body.push(statement(c));
    return { kind: "block", body, at };
  }
  if (c.takes("if")) {
    const cond = inParentheses(c),
      then = statement(c);
    return c.takes("else") ? { kind: "if", cond, then, otherwise: statement(c), at } : { kind: "if", cond, then, at };
  }
  if (c.takes("case")) return cases(c, at);
  if (c.takes("for")) return loop(c, at);
  if (c.next.kind === "name" && c.next.text.startsWith("$")) {
    const name = c.take().text,
      args = c.takes("(") ? c.list(")", () => expression(c)) : [];
    c.need(";");
    return { kind: "task", name, args, at };
  }
  const target = lvalue(c),
    blocking = c.takes("=");
  if (!blocking) c.need("<=");
  const value = expression(c);
  c.need(";");
  return { kind: "assign", target, value, blocking, at };
}

function inParentheses(c: Cursor): Expression {
  c.need("(");
  const e = expression(c);
  c.need(")");
  return e;
}

function cases(c: Cursor, at: Statement["at"]): Statement {
  const on = inParentheses(c),
    items: { labels: Expression[]; body: Statement }[] = [];
  let otherwise: Statement | undefined;
  while (!c.takes("endcase")) {
    if (c.takes("default")) {
      c.takes(":");
      otherwise = statement(c);
      continue;
    }
    items.push({ labels: c.list(":", () => expression(c)), body: statement(c) });
  }
  return { kind: "case", on, items, otherwise, at };
}

function loop(c: Cursor, at: Statement["at"]): Statement {
  c.need("(");
  const variable = c.name();
  c.need("=");
  const from = expression(c);
  c.need(";");
  const cond = expression(c);
  c.need(";");
  if (c.name() !== variable) throw c.surprise(`the loop's variable ${variable}`);
  c.need("=");
  const step = expression(c);
  c.need(")");
  return { kind: "for", variable, from, cond, step, body: statement(c), at };
}

/** What is assigned: a name, a select of it, or several in braces. `<=` after it is no comparison. */
export function lvalue(c: Cursor): Expression {
  const at = c.place;
  if (c.takes("{")) return { kind: "concat", parts: c.list("}", () => lvalue(c)), at };
  let e: Expression = { kind: "name", name: c.name(), at };
  while (c.takes("[")) {
    const first = expression(c);
    if (c.takes(":")) e = { kind: "range", of: e, high: first, low: expression(c), at };
    else if (c.takes("+:")) e = { kind: "part", of: e, base: first, width: expression(c), down: false, at };
    else e = { kind: "bit", of: e, index: first, at };
    c.need("]");
  }
  return e;
}
