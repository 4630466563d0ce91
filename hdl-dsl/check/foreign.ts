/** Signals and memories of another module: a module sees its own, and what comes in by its ports. */
import type { Memory, Position, Signal, Stmt } from "../ir/circuit.ts";
import type { Diagnostic } from "../ir/diagnostic.ts";
import type { Expr } from "../ir/expr.ts";
import { allStatements, expressionsOf, postOrder } from "../ir/walk.ts";
import { finding, type Study } from "./study.ts";

/** HDL015. Nothing else is looked at in a module that has some: its statements mean nothing. */
export function checkForeign(s: Study): Diagnostic[] {
  const signals = new Set(s.circuit.signals),
    memories = new Set(s.circuit.memories);
  const foreign = new Set<Signal | Memory>();
  for (const x of s.reads.signals) if (!signals.has(x)) foreign.add(x);
  for (const m of s.reads.memories) if (!memories.has(m)) foreign.add(m);
  for (const t of allStatements(s.circuit.body)) {
    if (t.kind === "assign" && !signals.has(t.target)) foreign.add(t.target);
    else if (t.kind === "memWrite" && !memories.has(t.port.memory)) foreign.add(t.port.memory);
  }
  return [...foreign].map(x =>
    finding(
      s,
      "HDL015",
      `\`${x.name}\` belongs to another module`,
      "Bring it in by a port of this module and connect that where the module is instantiated",
      useOf(s, x) ?? s.circuit.position,
      x.position,
    ),
  );
}

/** The first statement that reads or drives it. */
function useOf(s: Study, x: Signal | Memory): Position | undefined {
  const reads = (root: Expr): boolean => {
    let found = false;
    const seen = new Set<Expr>();
    postOrder(root, seen, e => {
      seen.add(e);
      found ||= (e.kind === "read" && e.signal === x) || (e.kind === "memRead" && e.memory === x);
    });
    return found;
  };
  const uses = (t: Stmt): boolean =>
    (t.kind === "assign" && t.target === x) ||
    (t.kind === "memWrite" && t.port.memory === x) ||
    expressionsOf(t).some(reads);
  for (const t of allStatements(s.circuit.body)) if (uses(t)) return t.position;
  for (const m of s.circuit.memories)
    for (const r of m.readPorts) if (reads(r.address) || (r.enable !== undefined && reads(r.enable))) return r.position;
  return undefined;
}
