/** The signals that a wave shows, with their values: the hierarchy and the names are those of the emitted text. */
import { type NameMap, verilogNames } from "../../../../hdl-dsl/index.ts";
import type { Graph } from "./graph.ts";
import type { Circuit, ClockDomain, Signal } from "./ir.ts";
import type { Traced, TracedScope } from "./netlist.ts";
import type { Node } from "./node.ts";
import type { Scope } from "./scope.ts";

/** What the text calls the parts of a circuit. */
export interface TraceNames {
  readonly parts: (c: Circuit) => ReturnType<typeof verilogNames>;
  /** Its instances, in their order. */
  readonly instances: (c: Circuit) => readonly string[];
}

/** As the emitter named them. */
export const emittedNames = (names: NameMap | undefined): TraceNames => ({
  parts: verilogNames,
  instances: c => (names?.modules[c.name] ?? { instances: c.instances }).instances.map(i => i.name),
});

/** Of a circuit that was read from text: the names are there already. */
export const writtenNames: TraceNames = {
  parts: c => ({
    signals: c.signals.filter(s => s.kind !== "instanceIn" && s.kind !== "instanceOut").map(s => [s, s.name]),
    domains: new Map(c.domains.map(d => [d.name, { clock: d.clock, reset: d.reset }])),
  }),
  instances: c => c.instances.map(i => i.name),
};

/** A name that Verilog text can have: the reader makes others for its own use. */
const NAME = /^[A-Za-z_][\w$]*$/;

/** `value` gives nothing for a signal that has no value here: it is left out. */
export function tracedScope(
  top: Scope,
  g: Graph,
  names: TraceNames,
  value: (s: Scope, signal: Signal) => Node | undefined,
): TracedScope {
  const parts = new Map<Circuit, ReturnType<typeof verilogNames>>();
  const scope = (s: Scope, name: string): TracedScope => {
    let known = parts.get(s.circuit);
    if (known === undefined) parts.set(s.circuit, (known = names.parts(s.circuit)));
    const signals = new Map<string, Traced>();
    for (const d of s.circuit.domains) {
      const ports = known.domains.get(d.name);
      if (ports === undefined || signals.has(ports.clock)) continue;
      const { clock } = s.domain(d);
      signals.set(ports.clock, { name: ports.clock, kind: "wire", signed: false, value: { clock: clock.index } });
      if (ports.reset !== undefined)
        signals.set(ports.reset, { name: ports.reset, kind: "wire", signed: false, value: resetOf(s, d, g, value) });
    }
    for (const [signal, shown] of known.signals) {
      const node = signals.has(shown) || !NAME.test(signal.name) ? undefined : value(s, signal);
      if (node !== undefined)
        signals.set(shown, {
          name: shown,
          kind: signal.kind === "reg" ? "reg" : "wire",
          signed: signal.signed,
          value: node,
        });
    }
    const called = names.instances(s.circuit);
    return {
      name,
      signals: [...signals.values()],
      below: s.circuit.instances.flatMap((i, n) => {
        const below = s.children.get(i);
        return below === undefined ? [] : [scope(below, called[n] ?? i.name)];
      }),
    };
  };
  return scope(top, top.circuit.name);
}

/** The reset port of a domain: the top's, and those of instances on the way down. */
function resetOf(s: Scope, d: ClockDomain, g: Graph, value: (s: Scope, signal: Signal) => Node | undefined): Node {
  const { clock, local, tied } = s.domain(d);
  let on = g.constant(0n, 1);
  if (!tied && clock.reset !== undefined) on = clock.low ? g.not(g.source(clock.reset)) : g.source(clock.reset);
  for (const l of local) on = g.or(on, value(l.scope, l.signal) ?? g.constant(0n, 1));
  return d.low === true ? g.not(on) : on;
}
