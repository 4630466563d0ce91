/**
 * Wires that need no name of their own: streams inside a module that only pass on what something else carries.
 * Their names come from combinators, not from a declaration, so the text reads better with the one name that the
 * value has anyway.
 */
import type { Circuit, Signal } from "../ir/circuit.ts";
import type { Const } from "../ir/expr.ts";
import { resolve } from "../ir/resolve.ts";

/**
 * `names`: signal -> the one by whose name it goes. `absorbed`: outputs and wires that stand for the output of an
 * instance, which drives them. `drivers`: output -> the wire that drives it in its place. `constants`: signals that
 * never change.
 */
export interface Merged {
  readonly names: ReadonlyMap<Signal, Signal>;
  readonly absorbed: ReadonlySet<Signal>;
  readonly drivers: ReadonlyMap<Signal, Signal>;
  readonly constants: ReadonlyMap<Signal, Const>;
}

/** Wires of inner streams: combinators name them, no declaration does. */
function streamWires(circuit: Circuit): Set<Signal> {
  const out = new Set<Signal>();
  for (const s of circuit.streams) {
    if (s.dir === "inner")
      for (const w of [s.valid, s.ready, ...s.payload]) if (w.kind === "wire" && w.attributes === undefined) out.add(w);
  }
  return out;
}

/**
 * Signals that may be merged in a circuit. A stream's wire or an instance's input goes by the signal that it repeats,
 * a stream's wire else by the output that repeats it. An instance's output goes by the output or the wire that
 * repeats it.
 */
export function mergedWires(circuit: Circuit): Merged {
  const mergeable = streamWires(circuit);
  for (const s of circuit.signals) if (s.kind === "instanceIn") mergeable.add(s);
  const names = new Map<Signal, Signal>(),
    absorbed = new Set<Signal>(),
    drivers = new Map<Signal, Signal>(),
    constants = new Map<Signal, Const>();
  if (mergeable.size === 0 && circuit.instances.length === 0) return { names, absorbed, drivers, constants };
  const { segments } = resolve(circuit);
  /** The signal that `s` repeats, whole and with the same sign. */
  const repeated = (s: Signal): Signal | undefined => {
    const all = segments.get(s),
      v = all?.[0]?.value;
    return all?.length === 1 && v?.kind === "read" && v.signal.width === s.width && v.signal.signed === s.signed
      ? v.signal
      : undefined;
  };
  const endOf = (s: Signal): Signal => {
    let end = s;
    for (let up = names.get(end); up !== undefined; up = names.get(end)) end = up;
    return end;
  };
  for (const w of mergeable) {
    const all = segments.get(w),
      v = all?.[0]?.value;
    if (all?.length === 1 && v?.kind === "const") constants.set(w, v);
  }
  for (const w of mergeable) {
    const from = repeated(w);
    if (from !== undefined && from.kind !== "output" && endOf(from) !== w) names.set(w, from);
  }
  /** An instance's output, or a stream's wire, takes the name of `s`, which repeats it. */
  const giveName = (s: Signal): void => {
    const from = repeated(s);
    if (from === undefined) return;
    const end = endOf(from);
    if (names.has(end) || constants.has(end)) return;
    if (end.kind === "instanceOut") {
      names.set(end, s);
      absorbed.add(s);
    } else if (s.kind === "output" && end.kind === "wire" && mergeable.has(end)) {
      names.set(end, s);
      drivers.set(s, end);
    }
  };
  for (const o of circuit.signals) if (o.kind === "output") giveName(o);
  for (const w of circuit.signals)
    if (w.kind === "wire" && w.attributes === undefined && !mergeable.has(w)) giveName(w);
  // Chains lead to their end.
  for (const w of [...names.keys()]) {
    const end = endOf(w),
      value = constants.get(end);
    if (value === undefined) names.set(w, end);
    else {
      names.delete(w);
      constants.set(w, value);
    }
  }
  return { names, absorbed, drivers, constants };
}
