/** Random programs side by side in one circuit. */
import type { Circuit, ClockDomain, Instance, Signal, Stmt } from "../../../hdl-dsl/ir/circuit.ts";
import { assign, circuit, readOf, signal } from "../support/random.ts";

/** All the programs side by side, one build for all: inputs are shared by width and sign, outputs are not. */
export function bundle(subjects: readonly Circuit[], name: string): Circuit {
  const signals: Signal[] = [],
    body: Stmt[] = [],
    instances: Instance[] = [],
    inputs = new Map<string, Signal>(),
    domains = new Map<string, ClockDomain>();
  subjects.forEach((sub, n) => {
    for (const d of sub.domains) if (!domains.has(d.name)) domains.set(d.name, d);
    const made: Instance = {
      name: `u${n}`,
      circuit: sub,
      connections: new Map<string, Signal>(),
      domains: new Map(sub.domains.map(d => [d.name, domains.get(d.name) ?? d])),
      position: undefined,
    };
    instances.push(made);
    sub.signals.forEach((p, i) => {
      if (p.kind !== "input" && p.kind !== "output") return;
      const outside = signal(p.kind === "input" ? "instanceIn" : "instanceOut", `u${n}_${p.name}`, p.width, p.signed, {
        instance: made,
      });
      made.connections.set(p.name, outside);
      signals.push(outside);
      if (p.kind === "input") {
        const key = `in_${p.width}${p.signed ? "s" : ""}_${i % 3}`;
        let input = inputs.get(key);
        if (input === undefined) inputs.set(key, (input = signal("input", key, p.width, p.signed)));
        body.push(assign(outside, readOf(input)));
      } else {
        const o = signal("output", `o${n}_${p.name}`, p.width, p.signed);
        signals.push(o);
        body.push(assign(o, readOf(outside)));
      }
    });
  });
  return circuit(name, [...inputs.values(), ...signals], body, { domains: [...domains.values()], instances });
}

/** What never gets a value stays open, and a value that seldom depends on it looks as if it did not. */
export const isInitialised = (c: Circuit): boolean =>
  c.signals.every(s => s.kind !== "reg" || s.init !== undefined) &&
  c.memories.every(m => m.init !== undefined && (m.depth & (m.depth - 1)) === 0 && m.depth > 1) &&
  c.instances.every(i => isInitialised(i.circuit));
