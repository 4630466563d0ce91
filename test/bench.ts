import { test } from "vitest";
import { benchWith } from "../sim/index.ts";
import { hangMs } from "./support/hang-ms.ts";

const register = benchWith(test);

/**
 * `bench(name, design, options, async (b) => ...)`: a vitest test that runs a bench on a fresh model. Cycles end one
 * that hangs (`hangCycles`, `limitCycles`), so a busy machine ends none.
 */
export const bench: typeof register = (name, dut, options, body) => {
  register(name, dut, { timeoutMs: hangMs, ...options }, body);
};
