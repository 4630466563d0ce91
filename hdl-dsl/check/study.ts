/** A circuit with what the checks share: resolved statements, dependencies, and the summaries of its sub-modules. */
import type { Circuit, Instance, Memory, Position, Signal } from "../ir/circuit.ts";
import type { Diagnostic } from "../ir/diagnostic.ts";
import type { Expr } from "../ir/expr.ts";
import { resolve } from "../ir/resolve.ts";
import { allStatements, expressionsOf, postOrder } from "../ir/walk.ts";
import { type Capture, captures, type Entry, Facts, type Summary } from "./facts.ts";
import { entries, type Wiring } from "./origins.ts";

export interface Study extends Wiring {
  readonly facts: Facts;
  readonly captures: readonly Capture[];
  readonly reads: Reads;
}

/** The signals and memories that something in a circuit reads. */
export interface Reads {
  readonly signals: ReadonlySet<Signal>;
  readonly memories: ReadonlySet<Memory>;
}

function readsOf(circuit: Circuit): Reads {
  const signals = new Set<Signal>(),
    memories = new Set<Memory>(),
    seen = new Set<Expr>();
  const look = (root: Expr): void => {
    postOrder(root, seen, e => {
      seen.add(e);
      if (e.kind === "read") signals.add(e.signal);
      else if (e.kind === "memRead") memories.add(e.memory);
    });
  };
  for (const t of allStatements(circuit.body)) expressionsOf(t).forEach(look);
  for (const m of circuit.memories) {
    for (const r of m.readPorts) {
      memories.add(m);
      look(r.address);
      if (r.enable !== undefined) look(r.enable);
    }
  }
  return { signals, memories };
}

const studies = new WeakMap<Circuit, Study>();
const summaries = new WeakMap<Circuit, Summary>();

/** The result of a study is large and seldom needed again: the surroundings need its summary only. */
export function forget(circuit: Circuit): void {
  summaryOf(circuit);
  studies.delete(circuit);
}

/** Studied once per circuit, until it is forgotten. */
export function study(circuit: Circuit): Study {
  let s = studies.get(circuit);
  if (s === undefined) {
    const resolution = resolve(circuit);
    studies.set(
      circuit,
      (s = {
        circuit,
        resolution,
        facts: new Facts(circuit, resolution, summaryOf),
        captures: captures(circuit, resolution),
        reads: readsOf(circuit),
        entriesOf: i => summaryOf(i.circuit).synchronised,
      }),
    );
  }
  return s;
}

/** The clock domains that a value of an unfinished circuit comes from, by name: of its registers and of its ports. */
export function originsOf(circuit: Circuit, e: Expr): ReadonlySet<string> {
  return new Facts(circuit, resolve(circuit), summaryOf).domainsOf(e);
}

/** Facts about a circuit for its surroundings; a black box is taken to be registered at its ports. */
export function summaryOf(circuit: Circuit): Summary {
  let s = summaries.get(circuit);
  if (s !== undefined) return s;
  const through = new Map<string, Set<string>>(),
    launched = new Map<string, Set<string>>(),
    captured = new Map<string, Set<string>>();
  const synchronised = new Map<string, Entry>();
  s = { through, launched, captured, synchronised };
  summaries.set(circuit, s);
  if (circuit.blackBox !== undefined) return s;
  const whole = study(circuit),
    { facts, captures: stored } = whole;
  for (const [leaf, entry] of entries(whole)) synchronised.set(leaf, entry);
  for (const o of circuit.signals) {
    if (o.kind !== "output") continue;
    through.set(o.name, new Set([...facts.inputsOfSignal(o)].map(i => i.name)));
    launched.set(o.name, new Set(facts.launchedInto(o)));
  }
  const take = (leaf: string, domain: string): void => {
    const set = captured.get(leaf);
    if (set === undefined) captured.set(leaf, new Set([domain]));
    else set.add(domain);
  };
  for (const c of stored) for (const i of facts.inputsOf(c.expr)) take(i.name, c.domain.name);
  for (const i of circuit.instances) {
    for (const [leaf, domains] of capturedBy(i)) {
      const outside = i.connections.get(leaf);
      if (outside === undefined) continue;
      for (const input of facts.inputsOfSignal(outside))
        for (const d of domains) take(input.name, i.domains.get(d)?.name ?? d);
    }
  }
  return s;
}

/**
 * The inputs that an instance registers, a reset of its own among them, and the domains of the registers, as the
 * instance calls them.
 */
export function capturedBy(i: Instance): readonly (readonly [string, ReadonlySet<string>])[] {
  const own = [...i.connections]
    .filter(([, s]) => s === i.reset)
    .map(([name]) => [name, new Set(["default"])] as const);
  return [...summaryOf(i.circuit).captured, ...own];
}

/** One finding of a check. */
export function finding(
  s: Study,
  code: string,
  message: string,
  fix: string,
  at: Position | undefined,
  related?: Position,
): Diagnostic {
  return { code, module: s.circuit.name, message, fix, at, related };
}

/** `x`, `x[3]`, `x[7:4]`: how messages name bits. */
export function bitsOf(name: string, lo: number, width: number, whole: boolean): string {
  if (whole) return `\`${name}\``;
  return width === 1 ? `\`${name}[${lo}]\`` : `\`${name}[${lo + width - 1}:${lo}]\``;
}
