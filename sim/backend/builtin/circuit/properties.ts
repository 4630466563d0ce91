/** Assertions and assumptions as nodes that are 1 where the simulation ends. */
import { type ClockDomain, type Expr, type Property, shortPosition, type Stmt } from "./ir.ts";
import type { Graph } from "./graph.ts";
import type { Check } from "./netlist.ts";
import type { Node } from "./node.ts";
import type { Scope } from "./scope.ts";

/** The checks of one instance, in the order of its statements. Covers are for formal tools. */
export function checksOf(
  s: Scope,
  g: Graph,
  value: (e: Expr) => Node,
  localReset: (d: ClockDomain) => Node | undefined,
): Check[] {
  const checks: Check[] = [];
  const walk = (body: readonly Stmt[], when: Node): void => {
    for (const x of body) {
      if (x.kind === "property") {
        const c = check(s, g, x, value, when, localReset);
        if (c !== undefined) checks.push(c);
      } else if (x.kind === "if") {
        const cond = value(x.cond);
        walk(x.then, g.and(when, cond));
        walk(x.otherwise, g.and(when, g.not(cond)));
      } else if (x.kind === "switch") {
        const on = value(x.on);
        let none = when;
        for (const c of x.cases) {
          const hit = c.labels.map(l => g.eq(on, value(l))).reduce((a, b) => g.or(a, b));
          walk(c.body, g.and(when, hit));
          none = g.and(none, g.not(hit));
        }
        walk(x.otherwise ?? [], none);
      }
    }
  };
  walk(s.circuit.body, g.constant(1n, 1));
  return checks;
}

function check(
  s: Scope,
  g: Graph,
  p: Property,
  value: (e: Expr) => Node,
  when: Node,
  localReset: (d: ClockDomain) => Node | undefined,
): Check | undefined {
  if (p.what === "cover") return undefined;
  const { clock, tied } = s.domain(p.domain);
  let fails = g.and(when, g.not(value(p.cond)));
  if (p.domain.reset !== undefined) {
    const local = localReset(p.domain);
    if (local !== undefined) fails = g.and(fails, g.not(local));
    if (clock.reset !== undefined && !tied) {
      const reset = g.source(clock.reset);
      fails = g.and(fails, clock.low ? reset : g.not(reset));
    }
  }
  const word = p.what === "assert" ? "assertion" : "assumption";
  return {
    clock,
    fails,
    text: p.printed ?? `${word} failed: ${p.message} (${shortPosition(p.position)})`,
    file: `${s.circuit.name}.v`,
    scope: s.id,
  };
}
