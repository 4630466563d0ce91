/** Every operator of the built-in simulator, gated and not, against the evaluator. */
import { expect, test } from "vitest";
import { circuitOf, emit } from "../../../hdl-dsl/index.ts";
import { Random } from "../../../hdl-dsl/random.ts";
import { stimulus, subjectOf } from "../fuzz/bench.ts";
import { describeCounterexample, differences } from "../fuzz/differential.ts";
import type { Circuit } from "../../../hdl-dsl/ir/circuit.ts";
import { Guards } from "./guards.ts";
import { operatorCircuit, treeCircuit, WIDTHS } from "./operators.ts";
import { Vectors } from "./vectors.ts";

async function differing(circuits: readonly Circuit[], seed: number): Promise<string> {
  const subjects = circuits.map(c => subjectOf({ circuit: c }));
  const vectors = stimulus(new Random(seed));
  const [first] = await differences(subjects, ["builtin"], vectors);
  return first === undefined ? "" : describeCounterexample({ difference: first, vectors });
}

test.each([false, true])("each operator at widths from 1 to 200, signed: %s", async signed => {
  for (const seed of [1, 2, 3])
    expect(
      await differing(
        WIDTHS.map(w => operatorCircuit(w, signed)),
        seed,
      ),
    ).toBe("");
});

test("random trees of operators over wide values", async () => {
  expect(
    await differing(
      Array.from({ length: 60 }, (_, i) => treeCircuit(i + 1)),
      5,
    ),
  ).toBe("");
});

test("rows of like operators, and rows that are nearly so", async () => {
  const circuits = Array.from({ length: 24 }, (_, seed) => circuitOf(emit(Vectors({ seed })))).filter(
    c => c !== undefined,
  );
  expect(circuits).toHaveLength(24);
  expect(await differing(circuits, 7)).toBe("");
});

test("conditions that need one thing, and come from another function", async () => {
  const circuit = circuitOf(emit(Guards()));
  expect(circuit).toBeDefined();
  for (const seed of [1, 2, 3]) expect(await differing(circuit === undefined ? [] : [circuit], seed)).toBe("");
});
