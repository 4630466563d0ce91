/** Clocked blocks: register groups and properties. */
import type { Signal, Stmt } from "../ir/circuit.ts";
import { shortPosition } from "../ir/diagnostic.ts";
import { coversAll } from "../ir/resolve.ts";
import type { PropertyGroup, RegisterGroup } from "./always.ts";
import { type Lanes, lanesFrom } from "./lanes.ts";
import type { VExpr, VItem, VStmt } from "./ast.ts";
import { type ModuleContext, underReset } from "./module-context.ts";
import { bare, binary, index, name, part, range, unary } from "./nodes.ts";

/** Lowering of an assignment or a property. */
type Leaf = (s: Extract<Stmt, { kind: "assign" | "property" }>) => VStmt | undefined;

/** Statements as they were written; branches that do nothing are dropped. */
function lowerStatements(c: ModuleContext, body: readonly Stmt[], consumer: string, leaf: Leaf): VStmt[] {
  const out: VStmt[] = [];
  for (let n = 0; n < body.length; n++) {
    const s = body[n] as Stmt,
      lanes = lanesFrom(body, n);
    if (lanes !== undefined) {
      out.push(...lowerLanes(c, lanes, consumer, leaf));
      n += lanes.count - 1;
      continue;
    }
    switch (s.kind) {
      case "assign":
      case "property": {
        const v = leaf(s);
        if (v !== undefined) out.push(v);
        break;
      }
      case "memWrite":
        break;
      case "if": {
        const cond = c.expressions.lowerShared(s.cond, consumer, "when");
        const known = c.expressions.constantOf(s.cond);
        if (known !== undefined) {
          out.push(...lowerStatements(c, known !== 0n ? s.then : s.otherwise, consumer, leaf));
          break;
        }
        const then = lowerStatements(c, s.then, consumer, leaf),
          otherwise = lowerStatements(c, s.otherwise, consumer, leaf);
        if (then.length > 0) out.push({ kind: "if", cond: bare(cond), then, otherwise, position: s.position });
        else if (otherwise.length > 0)
          out.push({ kind: "if", cond: unary("~", cond), then: otherwise, otherwise: [], position: s.position });
        break;
      }
      case "switch": {
        const on = c.expressions.lowerShared(s.on, consumer, "case");
        const near = s.on.kind === "read" ? s.on.signal : undefined;
        const items = s.cases.map(k => ({
          labels: k.labels.map(l => c.expressions.lower(l, consumer, near)),
          body: lowerStatements(c, k.body, consumer, leaf),
        }));
        const otherwise = lowerStatements(c, s.otherwise ?? [], consumer, leaf);
        const only = items[0];
        // A case of one arm reads better as an if.
        if (items.length === 1 && only !== undefined && !coversAll(s)) {
          const conds = only.labels.map((l): VExpr => ({
            kind: "binary",
            op: "==",
            a: on,
            b: l,
            width: 1,
            signed: false,
            cost: on.cost + l.cost,
          }));
          const cond = conds.reduce((a, b): VExpr => ({
            kind: "binary",
            op: "|",
            a,
            b,
            width: 1,
            signed: false,
            cost: a.cost + b.cost,
          }));
          if (only.body.length > 0) out.push({ kind: "if", cond, then: only.body, otherwise, position: s.position });
          else if (otherwise.length > 0)
            out.push({ kind: "if", cond: unary("~", cond), then: otherwise, otherwise: [], position: s.position });
        } else if (items.length === 0) out.push(...otherwise);
        else out.push({ kind: "case", on, items, otherwise, position: s.position });
      }
    }
  }
  return out;
}

/** A loop over the lanes. */
function lowerLanes(c: ModuleContext, lanes: Lanes, consumer: string, leaf: Leaf): VStmt[] {
  const which = c.expressions.lowerShared(lanes.index, consumer, "lane");
  const variable = c.loopVariable(),
    of = name(variable, 32);
  const body = lanes.assigns.flatMap((a): VStmt[] => {
    const v = leaf(a),
      word = c.nameOf(a.target).name;
    if (v?.kind !== "nonblocking") return [];
    const times: VExpr = { kind: "number", value: BigInt(a.width), width: 32, signed: false, plain: true, cost: 1 };
    return [{ ...v, target: a.width === 1 ? index(word, 1, of, false) : part(word, a.width, binary("*", times, of)) }];
  });
  if (body.length === 0) return [];
  return [
    {
      kind: "for",
      variable,
      from: lanes.from,
      to: lanes.from + lanes.count,
      body: [{ kind: "if", cond: binary("==", which, range(of, 0, lanes.index.width)), then: body, otherwise: [] }],
    },
  ];
}

/** Registers of one group: reset first, then the statements that assign them. */
export function registerItems(c: ModuleContext, g: RegisterGroup): void {
  const { clock, reset, low } = c.clockOf(g.domain);
  const consumer = c.nameOf(g.registers[0] as Signal).name;
  const body = lowerStatements(c, g.body, consumer, s => {
    if (s.kind !== "assign") return undefined;
    const target = c.nameOf(s.target);
    const value = c.expressions.lowerAssigned(s.value, target.name, s.target);
    return { kind: "nonblocking", target: range(target, s.lo, s.width), value, position: s.position };
  });
  c.items.push({ kind: "blank" });
  if (!g.reset) {
    if (body.length > 0) c.items.push({ kind: "always", clock, reset: undefined, body });
    return;
  }
  const initial = g.registers.map(r => ({ target: c.nameOf(r), value: c.constantFor(r, r.init ?? 0n) }));
  if (g.domain.kind === "none" || reset === undefined) {
    c.items.push({ kind: "initial", body: initial.map((i): VStmt => ({ kind: "blocking", ...i })) });
    if (body.length > 0) c.items.push({ kind: "always", clock, reset: undefined, body });
    return;
  }
  const then = initial.map((i, n): VStmt => ({
    kind: "nonblocking",
    ...i,
    position: g.registers[n]?.position,
    isReset: true,
  }));
  c.items.push({
    kind: "always",
    clock,
    reset: g.domain.kind === "async" ? reset : undefined,
    low,
    body: [{ kind: "if", cond: underReset(reset, low), then, otherwise: body }],
  });
}

/** Properties: for formal tools as they are, for simulators as a message and `$stop`; synthesis sees neither. */
export function propertyItems(c: ModuleContext, groups: readonly PropertyGroup[]): void {
  if (groups.length === 0) return;
  const formal: VItem[] = [],
    simulation: VItem[] = [];
  for (const g of groups) {
    const { clock, reset, low } = c.clockOf(g.domain);
    const lowered = lowerStatements(c, g.body, "check", s => {
      if (s.kind !== "property") return undefined;
      return {
        kind: "property",
        what: s.what,
        cond: c.expressions.lowerAssigned(s.cond, "check"),
        message: s.message,
        position: s.position,
      };
    });
    const checked = asChecks(lowered);
    const guard = (body: readonly VStmt[]): VStmt[] =>
      reset === undefined ? [...body] : [{ kind: "if", cond: underReset(reset, !low), then: body, otherwise: [] }];
    const edge = g.domain.kind === "async" ? reset : undefined;
    formal.push({ kind: "always", clock, reset: edge, low, body: guard(lowered) });
    if (checked.length > 0) simulation.push({ kind: "always", clock, reset: edge, low, body: guard(checked) });
  }
  c.items.push({ kind: "blank" }, { kind: "guarded", formal, simulation });
}

/** Assertions and assumptions as `if (~cond) fail`; covers are for formal tools only. */
function asChecks(body: readonly VStmt[]): VStmt[] {
  const out: VStmt[] = [];
  for (const s of body) {
    if (s.kind === "property") {
      if (s.what === "cover") continue;
      const word = s.what === "assert" ? "assertion" : "assumption";
      out.push({
        kind: "if",
        cond: bare(unary("~", s.cond)),
        then: [
          {
            kind: "fail",
            message: `${word} failed: ${s.message} (${shortPosition(s.position)})`,
            position: s.position,
          },
        ],
        otherwise: [],
      });
    } else if (s.kind === "if") {
      const then = asChecks(s.then),
        otherwise = asChecks(s.otherwise);
      if (then.length > 0 || otherwise.length > 0) out.push({ kind: "if", cond: s.cond, then, otherwise });
    } else if (s.kind === "case") {
      out.push({
        ...s,
        items: s.items.map(i => ({ labels: i.labels, body: asChecks(i.body) })),
        otherwise: asChecks(s.otherwise),
      });
    }
  }
  return out;
}
