/** The command over every module of a design. */
import { expect, it } from "vitest";
import { modulesOf } from "../../../cli/mutate/locate.ts";
import { runAll } from "../../../cli/mutate/run-all.ts";
import { Terminal } from "../../../designs/shared/command-line/index.ts";
import { mnemo } from "../../support/command-line.ts";

it("knows the modules of a design, and no harness of a proof", () => {
  const all = modulesOf("shared");
  expect(all).toContainEqual({ module: "Tlb", file: "designs/shared/virtual-memory/rtl/tlb.ts" });
  expect(all.filter(l => l.module === "harness" || l.file.includes("/proofs/"))).toEqual([]);
  // One that has another name in Verilog than its constant.
  expect(modulesOf("supernic")).toContainEqual({ module: "NatTask", file: "designs/supernic/rtl/tasks/nat.ts" });
  expect(() => modulesOf("nothing")).toThrow("there is no design nothing");
});

it("has a row for each module, of those without a test too, and says how many were sampled", async () => {
  let out = "";
  const stream = { write: (text: string) => void (out += text) },
    terminal = new Terminal({ stdout: stream, stderr: stream, env: {} });
  const file = "test/sim/mutate/subject.ts",
    options = { limit: 2, seed: 1, onlyOperator: ["reset-value"], tests: ["test/cli/mutate/sighted.test.ts"] };
  const code = await runAll("supernic", { ...options, patience: 60 }, terminal, [
    { module: "Subject", file },
    { module: "Nothing", file },
  ]);
  expect(out).toMatch(/^Subject +2 +1 +1 +0/m);
  expect(out).toMatch(/^Nothing +no test simulates Nothing/m);
  expect(out).toMatch(/^in all +2 +1 +1 +0 +50 % killed$/m);
  expect(out).toContain("\nAt most 2 mutants of each module, seed 1.\n");
  expect(code).toBe(1);
});

it("asks for the size of the sample", async () => {
  expect(await mnemo(["mutate", "shared"])).toEqual({
    code: 2,
    out: "",
    err: "mnemo: mutate shared goes through every module: give --limit, how many mutants of each\n",
  });
});
