/** Where values come from through wires, and which inputs lead straight to a synchroniser. */
import type { Circuit, Instance, Signal } from "../ir/circuit.ts";
import type { Expr } from "../ir/expr.ts";
import type { Resolution } from "../ir/resolve.ts";
import type { Entry } from "./facts.ts";

/** The part of a study that is needed here. */
export interface Wiring {
  readonly circuit: Circuit;
  readonly resolution: Resolution;
  /** The inputs of an instance that lead straight to a synchroniser in it. */
  readonly entriesOf: (i: Instance) => ReadonlyMap<string, Entry>;
}

/** What stands between a value and the registers or ports that it comes from. */
export interface Origin {
  readonly sources: ReadonlySet<Signal>;
  /** Whether more than wires and inverters is in between. */
  readonly logic: boolean;
}

const chained = (s: Signal): boolean => s.attributes?.["async_reg"] !== undefined;
const outerDomain = (i: Instance, e: Entry): string => i.domains.get(e.domain)?.name ?? e.domain;

/** A synchroniser's first register, or an instance's input that leads to one, with the values that it takes. */
export interface Taker {
  readonly signal: Signal;
  readonly values: readonly Expr[];
  readonly entry: Entry;
}

/** All of a circuit. */
export function takers(w: Wiring): Taker[] {
  const out: Taker[] = [];
  const valuesOf = (s: Signal): readonly Expr[] =>
    (w.resolution.segments.get(s) ?? []).flatMap(g => (g.value === undefined ? [] : [g.value]));
  for (const signal of w.circuit.signals)
    if (signal.kind === "reg" && chained(signal) && signal.domain !== undefined) {
      const { width, domain, oneBitAtATime } = signal;
      const entry = { domain: domain.name, width, oneBitAtATime: oneBitAtATime === true };
      out.push({ signal, values: valuesOf(signal), entry });
    }
  for (const i of w.circuit.instances)
    for (const [leaf, entry] of w.entriesOf(i)) {
      const signal = i.connections.get(leaf);
      if (signal !== undefined)
        out.push({ signal, values: valuesOf(signal), entry: { ...entry, domain: outerDomain(i, entry) } });
    }
  return out;
}

/** The synchronisers that an input of the circuit leads to, those in its instances among them. */
export function entries(w: Wiring): Map<string, Entry> {
  const found = new Map<string, Entry>();
  for (const t of takers(w))
    for (const x of originOf(w, t.values).sources) if (x.kind === "input") found.set(x.name, t.entry);
  return found;
}

/** Follows wires; whatever else is met counts as logic, and its operands as sources. */
export function originOf(s: Wiring, values: readonly Expr[]): Origin {
  const sources = new Set<Signal>(),
    seen = new Set<Expr>(),
    waiting = [...values];
  let logic = false;
  for (let e = waiting.pop(); e !== undefined; e = waiting.pop()) {
    if (seen.has(e)) continue;
    seen.add(e);
    switch (e.kind) {
      case "const":
        break;
      case "read": {
        const driven = e.signal.kind === "wire" || e.signal.kind === "output" || e.signal.kind === "instanceIn";
        if (!driven) sources.add(e.signal);
        else
          for (const g of s.resolution.segments.get(e.signal) ?? []) if (g.value !== undefined) waiting.push(g.value);
        break;
      }
      case "slice":
      case "cast":
      case "extend":
        waiting.push(e.a);
        break;
      case "concat":
        waiting.push(...e.parts);
        break;
      case "unary":
        if (e.op !== "not") logic = true;
        waiting.push(e.a);
        break;
      case "memRead":
        logic = true;
        waiting.push(e.address);
        break;
      case "binary":
        logic = true;
        waiting.push(e.a, e.b);
        break;
      case "shift":
        logic = true;
        waiting.push(e.a, e.by);
        break;
      case "mux":
        logic = true;
        waiting.push(e.cond, e.a, e.b);
        break;
      case "pick":
        logic = true;
        waiting.push(e.a, e.index);
    }
  }
  return { sources, logic };
}
