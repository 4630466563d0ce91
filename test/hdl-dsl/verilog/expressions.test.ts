import { describe, expect, test } from "vitest";
import { type BinaryOp, type Expr, maskOf } from "../../../hdl-dsl/ir/expr.ts";
import { evaluate } from "../../../hdl-dsl/ir/evaluate.ts";
import type { Circuit, Signal } from "../../../hdl-dsl/ir/circuit.ts";
import { emitCircuit } from "../../../hdl-dsl/verilog/emit.ts";
import { simulate } from "../support/icarus.ts";
import { lint } from "../support/lint.ts";
import { Random } from "../../../hdl-dsl/random.ts";
import { assign, circuit, Expressions, pattern, readOf, signal } from "../support/random.ts";
import { hangMs } from "../../support/hang-ms.ts";

/** Simulates outputs that are functions of the inputs and compares them with the evaluator. */
function compare(c: Circuit, values: ReadonlyMap<Signal, Expr>, random: Random, steps: number): void {
  const inputs = c.signals.filter(s => s.kind === "input");
  const design = emitCircuit(c);
  const vectors = Array.from({ length: steps }, () =>
    Object.fromEntries(inputs.map(s => [s.name, pattern(random, s.width)])),
  );
  simulate(design, vectors).forEach((got, n) => {
    for (const [out, e] of values) {
      const want = evaluate(e, { read: s => vectors[n]?.[s.name] ?? 0n });
      if (got[out.name] !== want)
        expect.fail(
          `${out.name} is ${String(got[out.name])}, not ${String(want)}, for ${JSON.stringify(vectors[n], (_, v: unknown) => (typeof v === "bigint" ? `0x${v.toString(16)}` : v))}\n${design.files[0]?.text ?? ""}`,
        );
    }
  });
}

describe("expressions", () => {
  const seed = Number(process.env["SEED"] ?? 20261120);
  const rounds = Number(process.env["ROUNDS"] ?? 6);

  // SEED and ROUNDS widen the search; a longer one needs more time.
  test(
    `random expressions mean in Verilog what the evaluator says (seed ${seed})`,
    { timeout: hangMs + 60_000 * rounds },
    () => {
      for (let round = 0; round < rounds; round++) {
        const random = new Random(seed + round);
        const inputs = [1, 1, 2, 3, 4, 8, 8, 8, 16, 16, 33, 64].map((w, i) => signal("input", `i${i}`, w, i % 3 === 0));
        const pool = new Expressions(random, inputs.map(readOf));
        const values = new Map<Signal, Expr>();
        for (let i = 0; i < 60; i++) {
          const e = pool.any(1 + random.below(6));
          values.set(signal("output", `o${i}`, e.width, e.signed), e);
        }
        const c = circuit(
          "Random",
          [...inputs, ...values.keys()],
          [...values].map(([s, e]) => assign(s, e)),
        );
        compare(c, values, random, 12);
        expect(lint(emitCircuit(c)), `seed ${seed + round}`).toBe("");
      }
    },
  );

  test("every operator inside every other, on both sides, signed and unsigned", () => {
    const ops: readonly BinaryOp[] = ["add", "sub", "mul", "and", "or", "xor", "eq", "ne", "lt", "le", "gt", "ge"];
    for (const signed of [false, true]) {
      const [a, b, d] = ["a", "b", "d"].map(n => signal("input", n, 4, signed)) as [Signal, Signal, Signal];
      const values = new Map<Signal, Expr>();
      const node = (op: BinaryOp, x: Expr, y: Expr): Expr => ({
        kind: "binary",
        op,
        a: x,
        b: y,
        width: ["eq", "ne", "lt", "le", "gt", "ge"].includes(op) ? 1 : op === "mul" ? x.width + y.width : x.width,
        signed: !["eq", "ne", "lt", "le", "gt", "ge"].includes(op) && x.signed,
      });
      const fit = (e: Expr): Expr => {
        const bits: Expr =
          e.width > 4
            ? { kind: "slice", a: e, lo: 0, width: 4, signed: false }
            : e.width < 4
              ? { kind: "extend", a: e, width: 4, signed: e.signed }
              : e;
        return bits.signed === signed ? bits : { kind: "cast", a: bits, width: 4, signed };
      };
      const put = (e: Expr): void => {
        values.set(signal("output", `o${values.size}`, e.width, e.signed), e);
      };
      for (const outer of ops)
        for (const inner of ops) {
          put(node(outer, fit(node(inner, readOf(a), readOf(b))), readOf(d)));
          put(node(outer, readOf(d), fit(node(inner, readOf(a), readOf(b)))));
        }
      for (const op of ops) {
        for (const shift of ["left", "right"] as const) {
          const by: Expr = { kind: "slice", a: readOf(d), lo: 0, width: 2, signed: false };
          const shifted: Expr = { kind: "shift", op: shift, a: readOf(a), by, width: 4, signed };
          put(node(op, shifted, readOf(b)));
          put(node(op, readOf(b), shifted));
          put({ kind: "shift", op: shift, a: fit(node(op, readOf(a), readOf(b))), by, width: 4, signed });
        }
        for (const u of ["not", "neg"] as const) {
          put(node(op, { kind: "unary", op: u, a: readOf(a), width: 4, signed }, readOf(b)));
          put({ kind: "unary", op: u, a: fit(node(op, readOf(a), readOf(b))), width: 4, signed });
        }
        for (const u of ["reduceAnd", "reduceOr", "reduceXor"] as const) {
          put({ kind: "unary", op: u, a: fit(node(op, readOf(a), readOf(b))), width: 1, signed: false });
          put(
            node(
              "and",
              { kind: "unary", op: u, a: readOf(a), width: 1, signed: false },
              { kind: "unary", op: "reduceOr", a: readOf(b), width: 1, signed: false },
            ),
          );
        }
        const cond: Expr = { kind: "unary", op: "reduceXor", a: readOf(d), width: 1, signed: false };
        put(node(op, { kind: "mux", cond, a: readOf(a), b: readOf(b), width: 4, signed }, readOf(d)));
        put({
          kind: "mux",
          cond,
          a: {
            kind: "mux",
            cond: { kind: "unary", op: "reduceOr", a: readOf(b), width: 1, signed: false },
            a: readOf(a),
            b: readOf(d),
            width: 4,
            signed,
          },
          b: fit(node(op, readOf(a), readOf(b))),
          width: 4,
          signed,
        });
      }
      const c = circuit(
        signed ? "SignedPairs" : "Pairs",
        [a, b, d, ...values.keys()],
        [...values].map(([s, e]) => assign(s, e)),
      );
      compare(c, values, new Random(1), 64);
      expect(lint(emitCircuit(c))).toBe("");
    }
  });

  test("a sum of 100,000 terms is emitted in lines of bounded length, without running out of stack", () => {
    const a = signal("input", "a", 8),
      o = signal("output", "o", 8);
    let e: Expr = readOf(a);
    for (let i = 0; i < 100_000; i++) e = { kind: "binary", op: "add", a: e, b: readOf(a), width: 8, signed: false };
    const text = emitCircuit(circuit("Long", [a, o], [assign(o, e)])).files[0]?.text ?? "";
    expect(Math.max(...text.split("\n").map(l => l.length))).toBeLessThan(160);
    expect(evaluate(e, { read: () => 1n })).toBe(100_001n & maskOf(8));
  });

  test("the text grows with the nodes, not with the paths, of an expression that doubles itself", () => {
    const a = signal("input", "a", 8),
      o = signal("output", "o", 8);
    let e: Expr = readOf(a);
    for (let i = 0; i < 200; i++) e = { kind: "binary", op: "add", a: e, b: e, width: 8, signed: false };
    const design = emitCircuit(circuit("Doubling", [a, o], [assign(o, e)]));
    expect(design.files[0]?.text.length).toBeLessThan(20_000);
    expect(lint(design)).toBe("");
  });
});
