/** Warnings: registers that mean nothing. */
import type { Signal, Stmt } from "../ir/circuit.ts";
import type { Diagnostic } from "../ir/diagnostic.ts";
import type { Expr } from "../ir/expr.ts";
import { expressionsOf, postOrder } from "../ir/walk.ts";
import { finding, type Study } from "./study.ts";

/** HDL203: a register without reset that takes nothing but what it makes of itself is unknown for ever. */
export function checkNeverKnown(s: Study): Diagnostic[] {
  const out: Diagnostic[] = [];
  for (const [r, segments] of s.resolution.segments) {
    if (r.kind !== "reg" || r.init !== undefined || !segments.some(g => s.resolution.assigned.has(g))) continue;
    if (segments.every(g => g.value !== undefined && feedsOnItself(s, r, g.value)))
      out.push(
        finding(
          s,
          "HDL203",
          `register \`${r.name}\` has no reset value and is computed from itself only: it is never known`,
          `Declare \`${r.name}\` with { init: 0 }, or load it from elsewhere`,
          r.position,
        ),
      );
  }
  return out;
}

/** Whether a next value never brings in anything but the register's own bits. */
function feedsOnItself(s: Study, r: Signal, next: Expr): boolean {
  const seen = new Set<Expr>(),
    waiting = [next];
  let own = false;
  const sources = new Set<Signal>();
  for (let e = waiting.pop(); e !== undefined; e = waiting.pop()) {
    if (seen.has(e)) continue;
    seen.add(e);
    switch (e.kind) {
      case "const":
      case "memRead":
        return false;
      case "mux":
        // Conditions decide when, not what.
        waiting.push(e.a, e.b);
        break;
      case "cast":
      case "slice":
        waiting.push(e.a);
        break;
      case "read":
        if (e.signal === r) break;
        if (e.signal.kind !== "wire") return false;
        if (!sources.has(e.signal)) {
          sources.add(e.signal);
          for (const g of s.resolution.segments.get(e.signal) ?? []) if (g.value !== undefined) waiting.push(g.value);
        }
        break;
      default: {
        // A change: all that it reads must be the register itself.
        const found = readsOnly(s, r, e);
        if (!found) return false;
        own = true;
      }
    }
  }
  return own;
}

/** Whether an expression reads the register, perhaps through wires, and nothing else. */
function readsOnly(s: Study, r: Signal, root: Expr): boolean {
  const seen = new Set<Expr>(),
    waiting = [root];
  const found = new Set<"own" | "other">();
  for (let e = waiting.pop(); e !== undefined && !found.has("other"); e = waiting.pop())
    postOrder(e, seen, x => {
      seen.add(x);
      if (x.kind === "memRead") found.add("other");
      if (x.kind !== "read") return;
      if (x.signal.kind !== "wire") found.add(x.signal === r ? "own" : "other");
      else for (const g of s.resolution.segments.get(x.signal) ?? []) if (g.value !== undefined) waiting.push(g.value);
    });
  return found.has("own") && !found.has("other");
}

/**
 * HDL204: a register that is read, by itself or by others of its kind, and by nothing that leads out of the module.
 * One walk from what leads out; a record counts as used when one of its fields is.
 */
export function checkReadByItself(s: Study): Diagnostic[] {
  const live = new Set<Signal>(),
    waiting: Expr[] = [],
    seen = new Set<Expr>();
  const use = (x: Signal): void => {
    if (live.has(x)) return;
    live.add(x);
    for (const g of s.resolution.segments.get(x) ?? []) if (g.value !== undefined) waiting.push(g.value);
  };
  for (const x of s.circuit.signals)
    if (x.kind === "output" || x.kind === "instanceIn" || x.mayBeUnread === true || x.attributes !== undefined) use(x);
  for (const w of s.resolution.writes)
    waiting.push(w.enable, w.address, w.data, ...(w.mask === undefined ? [] : [w.mask]));
  for (const m of s.circuit.memories)
    for (const r of m.readPorts) waiting.push(r.address, ...(r.enable === undefined ? [] : [r.enable]));
  properties(s.circuit.body, waiting);
  for (let root = waiting.pop(); root !== undefined; root = waiting.pop())
    postOrder(root, seen, e => {
      seen.add(e);
      if (e.kind === "read") use(e.signal);
    });
  const places = new Set([...live].map(x => x.position));
  const out: Diagnostic[] = [];
  for (const x of s.circuit.signals) {
    if (x.kind !== "reg" || live.has(x) || !s.reads.signals.has(x)) continue;
    if (x.position !== undefined && places.has(x.position)) continue;
    places.add(x.position);
    out.push(
      finding(
        s,
        "HDL204",
        `register \`${x.name}\` is read only by itself, or by registers that nobody else reads`,
        "Use it, remove it, or declare it with mayBeUnread",
        x.position,
      ),
    );
  }
  return out;
}

/** What the properties among statements look at, the conditions around them included. @returns whether there are any */
function properties(body: readonly Stmt[], found: Expr[]): boolean {
  let any = false;
  for (const t of body) {
    const inner =
      t.kind === "if"
        ? [t.then, t.otherwise]
        : t.kind === "switch"
          ? [...t.cases.map(c => c.body), t.otherwise ?? []]
          : [];
    if (t.kind !== "property" && !inner.map(b => properties(b, found)).includes(true)) continue;
    any = true;
    found.push(...expressionsOf(t));
  }
  return any;
}
