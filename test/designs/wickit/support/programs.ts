import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../../../scripts/setup/paths.mjs";
import { assemble, type Image } from "../../../../designs/wickit/program/index.ts";
import type { WicCall } from "../../../../designs/wickit/model/index.ts";
import type { Random } from "../../../../sim/index.ts";

/** A program of examples/wickit. */
export const example = (name: "list" | "log" | "kv"): Image =>
  assemble(readFileSync(join(root, "examples/wickit", `${name}.wic`), "utf8"));

/**
 * A list of `nodes` nodes as words from `base` on: node i has value 1000 + i, in an order that is not the addresses'.
 */
export function listWords(base: bigint, nodes: number): bigint[] {
  const words = Array.from({ length: 2 * nodes }, () => 0n),
    step = 7,
    place = (i: number): number => (i * step) % nodes;
  for (let i = 0; i < nodes; i++) {
    words[2 * place(i)] = 1000n + BigInt(i);
    words[2 * place(i) + 1] = base + BigInt(16 * place((i + 1) % nodes));
  }
  return words;
}
export const nodes = 32,
  capacity = 20n,
  buckets = 4;

/** Requests for each example, right ones and wrong ones. */
export function requestsFor(name: "list" | "log" | "kv", r: Random, count: number): WicCall[] {
  const of = (program: number, ...words: readonly bigint[]): WicCall => ({ program, words });
  return Array.from({ length: count }, () => {
    if (name === "list") return of(r.chance(0.9) ? 0 : r.between(1, 20), BigInt(r.between(1, 40)));
    if (name === "log") return r.chance(0.6) ? of(0, r.bits(64), capacity) : of(1);
    const key = BigInt(r.between(0, 24)),
      mask = BigInt(buckets - 1);
    return r.chance(0.5) ? of(0, key, mask) : of(1, key, r.bits(64), mask);
  });
}
