/** Waves of random programs: every signal of every instance, against Verilator's trace of the same run. */
import fc from "fast-check";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { emitCircuit } from "../../../hdl-dsl/verilog/emit.ts";
import { compileBuiltin, verilatorBackend } from "../../../sim/index.ts";
import { againstOpen, play } from "../../sim/wave/play.ts";
import { choices } from "../fuzz/differential.ts";
import { programOf } from "../fuzz/program.ts";
import { bundle, isInitialised } from "./bundle.ts";
import { asText } from "../../support/as-text.ts";

const folder = mkdtempSync(join(tmpdir(), "mnemo-waves-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("random programs with three clocks: all signals of all instances", async () => {
  const programs = fc.sample(choices, { seed: 1, numRuns: 40 }).map((l, n) => programOf(l, `Waves${n}`)),
    design = emitCircuit(bundle(programs.filter(isInitialised), "Waves"));
  // Some words of memories are open all the same: by sixteen seeds it is seen which bits depend on them.
  const program = compileBuiltin(design, { trace: true });
  const runs = Array.from({ length: 16 }, (_, seed) => play(program, folder, "random.vcd", { seed: seed + 1 }));
  const verilator = await verilatorBackend.load(design, { trace: "vcd", brief: true });
  const r = againstOpen(runs, play(verilator, folder, "random.vcd"));
  expect(r.wrong).toEqual([]);
  expect(r.compared).toBeGreaterThan(100_000);
  const text = compileBuiltin(asText(design), { trace: true });
  expect(againstOpen(runs, play(text, folder, "random.vcd")).wrong).toEqual([]);
});
