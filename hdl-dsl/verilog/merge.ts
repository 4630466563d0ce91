/**
 * Wires that need no name of their own: streams inside a module that only pass on what something else carries.
 * Their names come from combinators, not from a declaration, so the text reads better with the one name that the
 * value has anyway.
 */
import type { Circuit, Signal } from "../ir/circuit.ts";
import type { Const } from "../ir/expr.ts";
import { resolve } from "../ir/resolve.ts";

/**
 * `names`: wire -> the signal by whose name it goes. `drivers`: output -> the wire that drives it in its place.
 * `constants`: wires that never change.
 */
export interface Merged {
  readonly names: ReadonlyMap<Signal, Signal>;
  readonly drivers: ReadonlyMap<Signal, Signal>;
  readonly constants: ReadonlyMap<Signal, Const>;
}

/**
 * Wires that may be merged in a circuit: each goes by the signal that it repeats, else by the output that repeats it.
 */
export function mergedWires(circuit: Circuit): Merged {
  const mergeable = new Set<Signal>();
  for (const s of circuit.streams) {
    if (s.dir === "inner")
      for (const w of [s.valid, s.ready, ...s.payload])
        if (w.kind === "wire" && w.attributes === undefined) mergeable.add(w);
  }
  const names = new Map<Signal, Signal>(),
    drivers = new Map<Signal, Signal>(),
    constants = new Map<Signal, Const>();
  if (mergeable.size === 0) return { names, drivers, constants };
  const { segments } = resolve(circuit);
  /** The signal that `s` repeats, whole and with the same sign. */
  const repeated = (s: Signal): Signal | undefined => {
    const all = segments.get(s),
      v = all?.[0]?.value;
    return all?.length === 1 && v?.kind === "read" && v.signal.width === s.width && v.signal.signed === s.signed
      ? v.signal
      : undefined;
  };
  for (const w of mergeable) {
    const all = segments.get(w),
      v = all?.[0]?.value;
    if (all?.length === 1 && v?.kind === "const") constants.set(w, v);
  }
  for (const w of mergeable) {
    const from = repeated(w);
    if (from !== undefined && from.kind !== "output" && from.kind !== "instanceIn") names.set(w, from);
  }
  for (const o of circuit.signals) {
    if (o.kind !== "output") continue;
    let w = repeated(o);
    for (let up = w === undefined ? undefined : names.get(w); up !== undefined; up = names.get(up)) w = up;
    if (w === undefined || !mergeable.has(w) || names.has(w) || constants.has(w)) continue;
    names.set(w, o);
    drivers.set(o, w);
  }
  // Chains lead to their end.
  for (const w of [...names.keys()]) {
    let end = names.get(w) as Signal;
    for (let up = names.get(end); up !== undefined; up = names.get(end)) end = up;
    const value = constants.get(end);
    if (value === undefined) names.set(w, end);
    else {
      names.delete(w);
      constants.set(w, value);
    }
  }
  return { names, drivers, constants };
}
