/**
 * Random circuits of parts that sleep and wake, with idle gaps in what comes in: the built-in simulator, gated and not,
 * against the evaluator. MNEMO_FUZZ=<programs> widens it as it does the random programs, by a tenth of them.
 */
import { expect, test } from "vitest";
import { circuitOf, emit } from "../../../hdl-dsl/index.ts";
import { Random } from "../../../hdl-dsl/random.ts";
import { subjectOf } from "../fuzz/bench.ts";
import { describeCounterexample, differences } from "../fuzz/differential.ts";
import { Sleepers, sleepy } from "./sleepers.ts";
import { hangMs } from "../../support/hang-ms.ts";

const count = Math.ceil(Number(process.env["MNEMO_FUZZ"] ?? 200) / 10),
  seed = Number(process.env["MNEMO_FUZZ_SEED"] ?? 1);
const STEPS = 70,
  INPUT_BITS = 25;

/** What differs, in Verilog and numbers. */
async function difference(program: number): Promise<string> {
  const circuit = circuitOf(emit(Sleepers(program)));
  if (circuit === undefined) return "no circuit";
  const vectors = sleepy(new Random(program), STEPS, INPUT_BITS);
  const [first] = await differences([subjectOf({ circuit })], ["builtin"], vectors);
  return first === undefined ? "" : `program ${program}: ${describeCounterexample({ difference: first, vectors })}`;
}

test(`${count} circuits that sleep and wake (from seed ${seed})`, { timeout: hangMs + count * 2_000 }, async () => {
  for (let n = 0; n < count; n++) expect(await difference(seed + n)).toBe("");
});
