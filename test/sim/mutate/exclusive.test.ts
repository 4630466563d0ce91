/** The order of conditions that exclude each other is no fault; of all others it is one. */
import { expect, it } from "vitest";
import {
  type Bit,
  bit,
  circuitOf,
  emit,
  input,
  module,
  output,
  uint,
  type UInt,
  when,
} from "../../../hdl-dsl/index.ts";
import { mutantsOf } from "../../../sim/index.ts";

interface Inputs {
  readonly code: UInt;
  readonly a: Bit;
  readonly b: Bit;
}
/** Faults of order in a chain of two conditions. */
function orders(first: (i: Inputs) => Bit, second: (i: Inputs) => Bit): number {
  const Chain = module(
    "Chain",
    () => ({ code: input(uint(4)), a: input(bit), b: input(bit), out: output(uint(4)) }),
    io => {
      io.out.set(0);
      when(first(io), () => {
        io.out.set(1);
      }).elseWhen(second(io), () => {
        io.out.set(2);
      });
      // All inputs are read, whatever the conditions look at.
      when(io.a.and(io.b).and(io.code.eq(15)), () => {
        io.out.set(3);
      });
    },
  );
  const circuit = circuitOf(emit(Chain()));
  if (circuit === undefined) throw new Error("the chain has no circuit");
  return mutantsOf(circuit).filter(m => m.operator === "order").length;
}

it.each<[string, Parameters<typeof orders>, number]>([
  ["two codes of one signal", [i => i.code.eq(3), i => i.code.eq(4)], 0],
  ["two codes among other terms", [i => i.a.and(i.code.eq(3)), i => i.code.eq(4).and(i.b)], 0],
  ["a flag and its negation", [i => i.a.and(i.b), i => i.a.not()], 0],
  ["codes of some bits", [i => i.code.bits(0, 2).eq(1), i => i.code.bits(0, 2).eq(2)], 0],
  ["codes of different bits", [i => i.code.bits(0, 2).eq(1), i => i.code.bits(1, 2).eq(2)], 1],
  ["one code twice", [i => i.code.eq(3), i => i.code.eq(3).and(i.b)], 1],
  ["two flags", [i => i.a, i => i.b], 1],
  ["a flag, and the negation of it and another", [i => i.a, i => i.a.and(i.b).not()], 1],
  ["an or of codes", [i => i.code.eq(3).or(i.a), i => i.code.eq(4)], 1],
])("%s", (_, [first, second], count) => {
  expect(orders(first, second)).toBe(count);
});
