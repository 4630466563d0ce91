/**
 * Differential fuzz: random modules through the evaluator, Icarus, Verilator and Yosys. MNEMO_FUZZ=<programs> widens it
 * (CI: 5000, at length: 100000), MNEMO_FUZZ_SEED=<number> goes elsewhere.
 */
import { expect, test } from "vitest";
import { fuzz } from "./differential.ts";
import { hangMs } from "../../support/hang-ms.ts";

const count = Number(process.env["MNEMO_FUZZ"] ?? 80);
const seed = Number(process.env["MNEMO_FUZZ_SEED"] ?? 20261120);

test(
  `${count} random programs mean the same to the evaluator and to three tools (seed ${seed})`,
  { timeout: hangMs + count * 400 },
  async () => {
    const start = Date.now();
    const r = await fuzz(seed, count, 500, undefined, done => {
      if (done > 0 && done % 5000 === 0)
        console.log(`${done} programs so far, ${((Date.now() - start) / 1000).toFixed(0)} s`);
    });
    if (process.env["MNEMO_FUZZ"] !== undefined)
      console.log(`${r.programs} programs, seed ${seed}, ${((Date.now() - start) / 1000).toFixed(0)} s`);
    expect(r.failure ?? "no difference", `MNEMO_FUZZ_SEED=${seed}`).toBe("no difference");
  },
);
