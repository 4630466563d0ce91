/** Random programs with clocks of their own periods and resets at any time: both simulators, every output. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Circuit, ClockDomain, Instance, Signal, Stmt } from "../../../../hdl-dsl/ir/circuit.ts";
import { Random } from "../../../../hdl-dsl/random.ts";
import { emitCircuit } from "../../../../hdl-dsl/verilog/emit.ts";
import { programOf } from "../../../hdl-dsl/fuzz/program.ts";
import { choices } from "../../../hdl-dsl/fuzz/differential.ts";
import { assign, circuit, readOf, signal } from "../../../hdl-dsl/support/random.ts";
import { compareSimulators } from "./against-verilator.ts";

/** All the programs side by side, one build for all: inputs are shared by width and sign, outputs are not. */
function bundle(subjects: readonly Circuit[], name: string): Circuit {
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
const isInitialised = (c: Circuit): boolean =>
  c.signals.every(s => s.kind !== "reg" || s.init !== undefined) &&
  c.memories.every(m => m.init !== undefined && (m.depth & (m.depth - 1)) === 0 && m.depth > 1) &&
  c.instances.every(i => isInitialised(i.circuit));

test.each([
  { seed: 11, gated: true },
  { seed: 12, gated: false },
  { seed: 13, gated: true },
])("programs of seed $seed with three clocks, gated: $gated", { timeout: 180_000 }, async ({ seed, gated }) => {
  const programs = fc.sample(choices, { seed, numRuns: 50 }).map((l, n) => programOf(l, `Clocks${seed}x${n}`));
  const design = emitCircuit(bundle(programs.filter(isInitialised), `Clocks${seed}`));
  const random = new Random(seed);
  const r = await compareSimulators(
    design,
    {
      steps: 400,
      gated,
      from: 10,
      settles: random.fork("settles"),
      clocks: {
        default: { periodPs: 4000, phasePs: 0 },
        slow: { periodPs: 6000, phasePs: 2000 },
        free: { periodPs: 2500, phasePs: 500 },
      },
    },
    (words, step, model) => {
      for (const s of model.slots.values()) {
        if (s.port.dir !== "in") continue;
        // Resets at the start, and then now and then, of one domain or the other.
        if (s.port.role === "reset") words[s.word] = step < 8 || random.chance(0.04) ? 1 : 0;
        else if (random.chance(0.6))
          for (let i = 0; i < s.words; i++) words[s.word + i] = random.below(2 ** Math.min(32, s.port.width - 32 * i));
      }
    },
  );
  expect(r.differences).toEqual([]);
  expect(r.compared).toBeGreaterThan(10_000);
});
