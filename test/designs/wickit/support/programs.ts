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

/**
 * Programs of each size: program `n` stores `n` words at r0, loads them back and replies them. Program 0 replies no
 * word, and 9 asks for memory that nobody has.
 */
export const sizedImage = assemble(
  Array.from({ length: 10 }, (_, n) => {
    if (n === 0) return ".program none\n  reply r0, 0\n";
    if (n === 9) return ".program nobody\n  load r1, [r15], 1\n  reply r1, 1\n";
    // Seven arguments behind the address at most: eight words begin with the address itself.
    const from = n === 8 ? 0 : 1;
    return `.program size${n}\n  store r${from}, [r0], ${n}\n  load r8, [r0], ${n}\n  reply r8, ${n}\n`;
  }).join(""),
).instructions;
/** Calls of them, 64 at most, each with 64 bytes of its own from `base` on: they do not meet. */
export const sizedCalls = (r: Random, base: bigint, count: number): WicCall[] =>
  Array.from({ length: count }, (_, i) => ({
    program: r.between(0, 9),
    words: [base + BigInt(64 * i), ...Array.from({ length: 7 }, () => r.bits(64))],
  }));
