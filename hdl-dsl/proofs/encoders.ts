/** Encoders without state. */
import { input, output } from "../types/ports.ts";
import { uint } from "../types/shape.ts";
import { module } from "../build/module.ts";
import { assertAlways, cover } from "../build/statements.ts";
import { lowestSet } from "../stream/arbiter.ts";
import type { Proof } from "./proof.ts";

const WIDTH = 6;

const lowestHarness = module("LowestSetProof", () => ({ v: input(uint(WIDTH)), lowest: output(uint(WIDTH)) }), io => {
  io.lowest.set(lowestSet(io.v).is(WIDTH));
  const { v, lowest } = io;
  assertAlways(lowest.and(lowest.sub(1)).any().not(), "one bit at most");
  assertAlways(lowest.any().eq(v.any()), "one bit when there is one");
  assertAlways(lowest.and(v).eq(lowest), "a bit of the operand");
  for (let i = 1; i < WIDTH; i++) assertAlways(lowest.bit(i).not().or(v.bits(0, i).any().not()), `bit ${i}: none below it is set`);
  cover(lowest.bit(WIDTH - 1), "the highest bit alone");
  cover(v.all(), "all bits set");
});

export const encoderProofs: readonly Proof[] = [
  { module: `lowestSet, ${WIDTH} bits`, harness: lowestHarness(), faults: [{ what: "the carry is forgotten", from: /\(~v \+ 6'd1\)/, to: "(~v)" }] },
];
