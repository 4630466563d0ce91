import { describe, expect, test } from "vitest";
import type { Circuit, Signal, Stmt } from "../../../hdl-dsl/ir/circuit.ts";
import type { Expr } from "../../../hdl-dsl/ir/expr.ts";
import { emitCircuit } from "../../../hdl-dsl/verilog/emit.ts";
import { simulate } from "../support/icarus.ts";
import { Interpreter } from "../support/interpret.ts";
import { lint } from "../support/lint.ts";
import { Random } from "../../../hdl-dsl/random.ts";
import { assign, circuit, Expressions, pattern, readOf, signal } from "../support/random.ts";
import { hangMs } from "../../support/hang-ms.ts";

/** Wires, outputs and registers under random conditions and switches, whole and in parts. */
function randomModule(random: Random): Circuit {
  const inputs = [1, 1, 2, 4, 8, 8, 16].map((w, i) => signal("input", `i${i}`, w, i === 4));
  const registers = [1, 2, 8, 8, 12, 16].map((w, i) =>
    signal("reg", `r${i}`, w, i === 3, { init: pattern(random, w) }),
  );
  const wires = [1, 8, 8, 16].map((w, i) => signal("wire", `w${i}`, w, i === 2));
  const outputs = [1, 8, 12].map((w, i) => signal("output", `o${i}`, w));
  const early = new Expressions(random, [...inputs, ...registers].map(readOf)),
    late = new Expressions(random, [...inputs, ...registers, ...wires].map(readOf));
  const valueFor = (s: Signal, width: number, signed: boolean) =>
    (s.kind === "wire" ? early : late).make(width, signed, random.below(4));
  const change = (): Stmt => {
    const s = random.pick([...registers, ...wires, ...outputs]);
    if (s.width > 1 && random.chance(0.4)) {
      const width = 1 + random.below(s.width);
      return assign(s, valueFor(s, width, false), random.below(s.width - width + 1));
    }
    return assign(s, valueFor(s, s.width, s.signed));
  };
  const block = (depth: number): Stmt[] => Array.from({ length: random.below(4) }, () => statement(depth));
  const statement = (depth: number): Stmt => {
    if (depth <= 0 || random.chance(0.4)) return change();
    if (random.chance(0.6))
      return {
        kind: "if",
        cond: early.make(1, false, 2),
        then: block(depth - 1),
        otherwise: random.chance(0.5) ? block(depth - 1) : [],
        position: undefined,
      };
    const on = early.make(2, false, 1);
    const labels = [0n, 1n, 2n, 3n].filter(() => random.chance(0.7));
    const cases: { labels: ReturnType<typeof readOf>[]; body: Stmt[] }[] = [];
    for (const value of labels) {
      const label = { kind: "const", value, width: 2, signed: false } as const;
      const last = cases.at(-1);
      if (last !== undefined && random.chance(0.3)) last.labels.push(label);
      else cases.push({ labels: [label], body: block(depth - 1) });
    }
    return {
      kind: "switch",
      on,
      cases,
      otherwise: random.chance(0.5) ? block(depth - 1) : undefined,
      position: undefined,
    };
  };
  const body: Stmt[] = [...wires, ...outputs].map(s => assign(s, valueFor(s, s.width, s.signed)));
  for (let i = 0; i < 14; i++) body.push(statement(3));
  return circuit("Random", [...inputs, ...registers, ...wires, ...outputs], body);
}

describe("statements", () => {
  const seed = Number(process.env["SEED"] ?? 20261120);
  const rounds = Number(process.env["ROUNDS"] ?? 5);

  test(
    `random modules do in Verilog what their statements say (seed ${seed})`,
    { timeout: hangMs + 60_000 * rounds },
    () => {
      for (let round = 0; round < rounds; round++) {
        const random = new Random(seed + round);
        const c = randomModule(random);
        const design = emitCircuit(c);
        const steps = Array.from({ length: 40 }, () =>
          Object.fromEntries(c.signals.filter(s => s.kind === "input").map(s => [s.name, pattern(random, s.width)])),
        );
        const reference = new Interpreter(c);
        simulate(design, steps).forEach((got, n) => {
          const want = reference.step(steps[n] ?? {});
          for (const o of c.signals.filter(s => s.kind === "output")) {
            if (got[o.name] !== want.get(o))
              expect.fail(
                `seed ${seed + round}, step ${n}: ${o.name} is ${String(got[o.name])}, not ${String(want.get(o))}\n${design.files[0]?.text ?? ""}`,
              );
          }
        });
        expect(lint(design), `seed ${seed + round}\n${design.files[0]?.text ?? ""}`).toBe("");
      }
    },
  );

  test("a vector whose bits depend on lower bits of itself is no loop to any tool", () => {
    const a = signal("input", "a", 8),
      carry = signal("wire", "carry", 9),
      y = signal("output", "y", 9),
      low = signal("output", "low", 3);
    const bit = (s: Signal, lo: number, width = 1): Expr => ({ kind: "slice", a: readOf(s), lo, width, signed: false });
    const ripple = Array.from({ length: 8 }, (_, i) =>
      assign(carry, { kind: "binary", op: "or", a: bit(carry, i), b: bit(a, i), width: 1, signed: false }, i + 1),
    );
    const design = emitCircuit(
      circuit(
        "Ripple",
        [a, carry, y, low],
        [assign(carry, bit(a, 0)), ...ripple, assign(y, readOf(carry)), assign(low, bit(carry, 2, 3))],
      ),
    );
    expect(lint(design)).toBe("");
    expect(simulate(design, [{ a: 0b00010000n }, { a: 0b1n }])).toEqual([
      { y: 0b111100000n, low: 0n },
      { y: 0b111111111n, low: 7n },
    ]);
  });

  test("emission gives the same bytes every time", () => {
    const text = (): string =>
      emitCircuit(randomModule(new Random(seed)))
        .files.map(f => f.text)
        .join();
    expect(text()).toBe(text());
  });
});
