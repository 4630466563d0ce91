import { test } from "vitest";
import { benchWith } from "../sim/index.ts";

/** `bench(name, design, options, async (b) => ...)`: a vitest test that runs a bench on a fresh model. */
export const bench = benchWith(test);
