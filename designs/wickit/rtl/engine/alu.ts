import {
  type Bit,
  cat,
  constant,
  fromBits,
  linearMap,
  mux,
  node,
  onehotMux,
  orTree,
  scope,
  type UInt,
} from "../../../../hdl-dsl/index.ts";
import { hashConstant, hashStep, operation } from "../../wire/index.ts";
import type { Decoded } from "./decode.ts";

/** What an instruction makes of its operands: wires. */
export interface Outcome {
  readonly result: UInt;
  /** The result goes to register rd. */
  readonly writes: Bit;
  /** The program goes on at `imm`. */
  readonly taken: Bit;
}

const hashOf = (which: 0 | 1, word: UInt): UInt =>
  linearMap(word, 32, x => hashStep(which, 0n, x))
    .xor(hashConstant(which))
    .zext(64);

/**
 * What makes the result, one bit each, in the order of `compute`'s values; the last says that the sum is a
 * difference.
 */
export function chooseResult(d: Decoded): UInt {
  return scope("choice", () => {
    // The low three bits name the operation of both forms, with a register and with a number.
    const alu = node(d.code.bits(4, 4).eq(1), { name: "is_alu" }),
      op = (code: number): Bit => alu.and(d.code.bits(0, 3).eq(code & 7));
    const minus = node(op(operation.sub), { name: "minus" });
    return fromBits([
      orTree([op(operation.add), minus, d.access]),
      op(operation.and),
      op(operation.or),
      op(operation.xor),
      op(operation.shl),
      op(operation.shr),
      d.is("li"),
      d.is("lih"),
      d.is("base"),
      d.is("hash"),
      minus,
    ]);
  });
}
/** Bits of it. */
export const choices = 11;

/**
 * ALU, hash and branch. An access's address is the sum: its second operand is the offset. @param choice of
 * `chooseResult`, from a register
 */
export function compute(d: Decoded, choice: UInt, a: UInt, b: UInt, base: UInt): Outcome {
  return scope("alu", () => {
    const minus = choice.bit(choices - 1),
      other = mux(minus, b.not(), b),
      sum = node(a.add(other).add(minus.zext(64)), { name: "sum" });
    const shift = b.bits(0, 6);
    const values: readonly UInt[] = [
      sum,
      a.and(b),
      a.or(b),
      a.xor(b),
      node(a.shl(shift), { name: "left" }),
      node(a.shr(shift), { name: "right" }),
      b,
      cat(a.bits(0, 48), b.bits(0, 16)),
      base,
      mux(d.imm.bit(0), hashOf(1, a), hashOf(0, a)),
    ];
    const equal = node(a.eq(b), { name: "equal" }),
      less = node(b.lt(a), { name: "less" });
    // BEQ, BNE, BLT, BGE, JMP in the order of their codes. rd is the second operand, and stands first in the text.
    const branch = [equal, equal.not(), less, less.not(), constant(1, 1)].map((holds, i) =>
      d.code.bits(0, 3).eq(i).and(holds),
    );
    return {
      result: node(
        onehotMux(
          values.map((_, i) => choice.bit(i)),
          values,
        ),
        { name: "result" },
      ),
      writes: node(
        choice
          .bits(0, choices - 1)
          .any()
          .and(d.access.not()),
        { name: "writes" },
      ),
      taken: node(d.branch.and(orTree(branch)), { name: "taken" }),
    };
  });
}
