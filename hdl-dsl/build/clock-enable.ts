/** Clock enables: what is clocked and declared under one keeps still while the enable is 0. */
import type { MemWrite, Property, Signal, Stmt } from "../ir/circuit.ts";
import type { Expr } from "../ir/expr.ts";
import * as make from "../ir/fold.ts";
import type { Bit } from "../types/value.ts";
import { valueOfBody } from "./body.ts";
import { type Context, context, refuse } from "./context.ts";
import { conditionOf } from "./value.ts";

/** What has an enable: a register, a write of a memory, or a property. */
export type Enabled = Signal | MemWrite | Property;

/**
 * Registers (those of state machines and pipelines too), accesses of memories and properties that are declared in
 * `body` work in cycles in which `enable` is 1; in the others they keep still. Reset works whatever the enable is.
 * Enables within one another must all be 1. What is combinational is not touched: a handshake of a stream in a cycle
 * without the enable is seen by the partner and by no register. An instance with a clock is refused (HDL132).
 */
export function clockEnable<T>(enable: Bit, body: () => T): T {
  const c = context(),
    outer = c.enable,
    own = conditionOf(enable, "the enable of clockEnable");
  c.enable = outer === undefined ? own : make.binary("and", outer, own);
  try {
    return valueOfBody("the body of clockEnable", body);
  } finally {
    c.enable = outer;
  }
}

/** Notes that what was just declared has the enable around it. */
export function underEnable<T extends Enabled>(what: T): T {
  const c = context();
  if (c.enable !== undefined) c.enabled.set(what, c.enable);
  return what;
}

/** The enable of a clocked read: its own, and the one around it. */
export function enabledRead(own: Expr | undefined): Expr | undefined {
  const { enable } = context();
  return enable === undefined || own === undefined ? (own ?? enable) : make.binary("and", enable, own);
}

/** An instance has registers that no enable from outside reaches. */
export function refuseEnabled(name: string, module: string): void {
  if (context().enable === undefined) return;
  refuse(
    "HDL132",
    `instance \`${name}\` of ${module} has a clock, and stands under a clock enable, which does not reach inside`,
    "Give the module an input for the enable, or a clock of its own from a clock buffer with an enable",
  );
}

/** The statements of a finished module, each under the enable of what it drives. */
export function heldStill(c: Context): Stmt[] {
  if (c.enabled.size === 0) return c.top;
  const enableOf = (s: Stmt): Expr | undefined => c.enabled.get(s.kind === "assign" ? s.target : (s as Enabled));
  /** The one enable of all that a statement drives; undefined: none, or several. */
  const common = (s: Stmt): Expr | undefined => {
    const inner = bodiesOf(s);
    if (inner === undefined) return enableOf(s);
    const all = new Set(inner.flat().map(common));
    return all.size === 1 ? [...all][0] : undefined;
  };
  const guard = (body: readonly Stmt[]): Stmt[] => {
    const out: Stmt[] = [];
    let open: { readonly enable: Expr; readonly then: Stmt[] } | undefined;
    for (const s of body) {
      const enable = common(s);
      if (enable === undefined) {
        open = undefined;
        out.push(withBodies(s, guard));
      } else if (open?.enable === enable) open.then.push(s);
      else {
        open = { enable, then: [s] };
        out.push({ kind: "if", cond: enable, then: open.then, otherwise: [], position: s.position });
      }
    }
    return out;
  };
  return guard(c.top);
}

function bodiesOf(s: Stmt): readonly (readonly Stmt[])[] | undefined {
  if (s.kind === "if") return [s.then, s.otherwise];
  if (s.kind === "switch") return [...s.cases.map(x => x.body), s.otherwise ?? []];
  return undefined;
}

function withBodies(s: Stmt, change: (body: readonly Stmt[]) => Stmt[]): Stmt {
  if (s.kind === "if") return { ...s, then: change(s.then), otherwise: change(s.otherwise) };
  if (s.kind === "switch")
    return {
      ...s,
      cases: s.cases.map(x => ({ labels: x.labels, body: change(x.body) })),
      otherwise: s.otherwise === undefined ? undefined : change(s.otherwise),
    };
  return s;
}
