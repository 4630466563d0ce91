import { expect, test } from "vitest";
import type { Switch } from "../../../hdl-dsl/ir/circuit.ts";
import { coversAll } from "../../../hdl-dsl/ir/resolve.ts";
import { readOf, signal } from "../support/random.ts";

const over = (states: readonly string[] | undefined, labels: readonly number[]): Switch => ({
  kind: "switch",
  on: readOf(signal("reg", "state", 2, false, states === undefined ? {} : { states })),
  otherwise: undefined,
  position: undefined,
  cases: [{ labels: labels.map(n => ({ kind: "const", value: BigInt(n), width: 2, signed: false })), body: [] }],
});

test("a switch over states covers all when no state is missing", () => {
  expect(coversAll(over(["idle", "run", "done"], [0, 1, 2]))).toBe(true);
  expect(coversAll(over(["idle", "run", "done"], [0, 1]))).toBe(false);
});

test("a label that is no state stands for none (found by the fuzz: seed 20265120)", () => {
  expect(coversAll(over(["idle", "run", "done"], [0, 1, 3]))).toBe(false);
});

test("any other switch covers all when all values are listed", () => {
  expect(coversAll(over(undefined, [0, 1, 3]))).toBe(false);
  expect(coversAll(over(undefined, [0, 1, 2, 3]))).toBe(true);
});
