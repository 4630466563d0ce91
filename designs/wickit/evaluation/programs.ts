import { readFileSync } from "node:fs";
import { assemble } from "../program/index.ts";

/** A program of examples/wickit, as its instructions. */
export const exampleImage = (name: "list" | "log" | "kv"): readonly number[] =>
  assemble(readFileSync(new URL(`../../../examples/wickit/${name}.wic`, import.meta.url), "utf8")).instructions;

/** A ring of `nodes` list nodes as words from `base` on. */
export const ring = (base: bigint, nodes: number): readonly bigint[] =>
  Array.from({ length: nodes }, (_, i) => [BigInt(i), base + BigInt(16 * ((i + 1) % nodes))]).flat();
