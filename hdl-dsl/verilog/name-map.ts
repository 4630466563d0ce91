/** Meaning of every name of the emitted text, module by module: for test benches, waveforms and synthesis reports. */
import type { Circuit, Position, Signal } from "../ir/circuit.ts";
import type { NamedModule, NamedSignal } from "../types/emitted.ts";
import type { Enumeration } from "../types/shape.ts";
import type { VModule } from "./ast.ts";
import { type ModuleNames, namesOf } from "./module-context.ts";
import { projectPosition } from "./source-map.ts";

const sources = new WeakMap<Position, { readonly source?: string }>();
/** A position as the map has it. Thousands of names come from one. */
function at(p: Position | undefined): { readonly source?: string } {
  if (p === undefined) return {};
  let found = sources.get(p);
  if (found === undefined) {
    const source = projectPosition(p);
    sources.set(p, (found = source === undefined ? {} : { source }));
  }
  return found;
}

function namesByCode(e: Enumeration): Pick<NamedSignal, "states" | "codes"> {
  const entries = Object.entries(e.codes).sort(([, a], [, b]) => a - b),
    states = entries.map(([name]) => name),
    codes = entries.map(([, code]) => code);
  return codes.every((c, i) => c === i) ? { states } : { states, codes };
}

/** Signals that have a name of their own in the text: what is merged goes by another's name. */
function named(c: Circuit, names: ModuleNames): readonly (readonly [Signal, string])[] {
  return c.signals.flatMap(s => {
    const name = names.signals.get(s);
    return name === undefined || s.kind === "instanceIn" || s.kind === "instanceOut" || names.merged.names.has(s)
      ? []
      : [[s, name] as const];
  });
}

/** What a circuit's text calls its signals, and the clock and reset ports of its domains. */
export function verilogNames(c: Circuit): {
  readonly signals: readonly (readonly [Signal, string])[];
  readonly domains: ModuleNames["domains"];
} {
  const names = namesOf(c);
  return { signals: named(c, names), domains: names.domains };
}

/** The names of one module. `lowered` is undefined for a black box. */
export function namedModule(c: Circuit, names: ModuleNames, lowered: VModule | undefined): NamedModule {
  const signals = named(c, names).map(([s, name]): NamedSignal => ({
    name,
    kind: s.kind === "input" || s.kind === "output" || s.kind === "reg" ? s.kind : "wire",
    width: s.width,
    ...(s.signed ? { signed: true as const } : {}),
    path: s.path ?? [s.name],
    ...(s.states === undefined ? {} : { states: s.states }),
    ...(s.codes === undefined ? {} : { codes: s.codes.map(Number) }),
    ...(s.enumeration === undefined ? {} : namesByCode(s.enumeration)),
    ...at(s.position),
  }));
  return {
    ...at(c.position),
    signals,
    memories: c.memories.map(m => ({
      name: names.memories.get(m) ?? m.name,
      width: m.width,
      depth: m.depth,
      ...at(m.position),
    })),
    instances: (lowered?.items ?? []).flatMap(i =>
      i.kind === "instance" ? [{ name: i.name, module: i.module, ...at(i.position) }] : [],
    ),
  };
}
