import {
  type Bit,
  cat,
  constant,
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

/** ALU, hash and branch. An access's address is the sum: its second operand is the offset. */
export function compute(d: Decoded, a: UInt, b: UInt, base: UInt): Outcome {
  return scope("alu", () => {
    // The low three bits name the operation of both forms, with a register and with a number.
    const alu = node(d.code.bits(4, 4).eq(1), { name: "is_alu" }),
      op = (code: number): Bit => alu.and(d.code.bits(0, 3).eq(code & 7));
    const minus = node(op(operation.sub), { name: "minus" }),
      other = mux(minus, b.not(), b),
      sum = node(a.add(other).add(minus.zext(64)), { name: "sum" });
    const shift = b.bits(0, 6);
    const cases: readonly (readonly [Bit, UInt])[] = [
      [node(orTree([op(operation.add), minus, d.access]), { name: "adds" }), sum],
      [op(operation.and), a.and(b)],
      [op(operation.or), a.or(b)],
      [op(operation.xor), a.xor(b)],
      [op(operation.shl), node(a.shl(shift), { name: "left" })],
      [op(operation.shr), node(a.shr(shift), { name: "right" })],
      [d.is("li"), b],
      [d.is("lih"), cat(a.bits(0, 48), b.bits(0, 16))],
      [d.is("base"), base],
      [d.is("hash"), mux(d.imm.bit(0), hashOf(1, a), hashOf(0, a))],
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
          cases.map(([c]) => c),
          cases.map(([, v]) => v),
        ),
        { name: "result" },
      ),
      writes: node(orTree([alu, d.is("li"), d.is("lih"), d.is("base"), d.is("hash")]), { name: "writes" }),
      taken: node(d.branch.and(orTree(branch)), { name: "taken" }),
    };
  });
}
