import {
  type Bit,
  cat,
  constant,
  fromCode,
  mux,
  node,
  orTree,
  priority,
  repeat,
  scope,
  type UInt,
} from "../../../../hdl-dsl/index.ts";
import type { EngineParameters } from "../../config/index.ts";
import { instructionForms, type Mnemonic, offsetBits, operation, registers } from "../../wire/index.ts";
import { AccessKind } from "./types.ts";

/** The fields of an instruction as they stand. */
export const cutInstruction = (word: UInt) => ({
  code: word.bits(0, 8),
  rd: word.bits(8, 4),
  ra: word.bits(12, 4),
  rb: word.bits(16, 4),
  imm: word.bits(16, 16),
});
/** Whether an instruction reads rd in the place of rb: a branch compares it. */
export const comparesRd = (word: UInt): Bit => word.bits(4, 4).eq(operation.beq >> 4);

const extend = (v: UInt, to: number): UInt => cat(repeat(v.bit(v.width - 1), to - v.width), v);

/** What an instruction is, from its 32 bits: wires. */
export function decodeInstruction(word: UInt, p: EngineParameters) {
  return scope("decoded", () => {
    const f = cutInstruction(word);
    const is = (...names: readonly Mnemonic[]): Bit => orTree(names.map(n => f.code.eq(operation[n])));
    const group = (code: number): Bit => f.code.bits(4, 4).eq(code >> 4);
    const access = node(group(operation.load).and(f.code.bits(0, 4).le(5)), { name: "access" });
    const several = is("load", "store"),
      words = node(f.imm.bits(offsetBits, 3).zext(4).add(1), { name: "words" });
    const atomicSends = node(cat(f.code.bits(0, 4).eq(operation.cas & 15), is("faa", "put")).zext(4), {
      name: "atomic_sends",
    });
    const sends = mux(is("store"), words, mux(access.and(several.not()), atomicSends, constant(0, 4)));
    const brings = mux(is("load"), words, is("tas", "cas", "faa").zext(4));
    const count = f.imm.bits(0, 4);
    // Registers that an instruction names from rd on, and whether there are so many.
    const span = node(priority([is("reply"), count], [several, words], [is("cas"), constant(2, 4)], constant(1, 4)), {
      name: "span",
    });
    const pastEnd = node(f.rd.zext(5).add(span.zext(5)).gt(registers), { name: "past_end" });
    const tooLong = node(is("reply").and(count.gt(p.replyWords)), { name: "too_long" });
    const unknown = node(orTree(instructionForms.map(i => f.code.eq(i.code))).not(), { name: "unknown" });
    const immediate = priorityImmediate(f, access);
    return {
      ...f,
      access,
      kind: fromCode(AccessKind, f.code.bits(0, 3), "load"),
      /** Of an access: words on the port, words that go with it, registers that it brings. */
      words: mux(several, words, constant(1, 4)),
      sends: node(sends.is(4), { name: "sends" }),
      brings: node(brings, { name: "brings" }),
      count,
      illegal: node(unknown.or(pastEnd).or(tooLong), { name: "illegal" }),
      reply: is("reply"),
      fail: is("fail"),
      gives: is("yield"),
      branch: group(operation.beq),
      /** The second operand is `immediate`, not a register. */
      immediate,
      usesImmediate: node(orTree([access, group(operation.li), f.code.bits(3, 5).eq(operation.addi >> 3)]), {
        name: "uses_immediate",
      }),
      is,
    };
  });
}
export type Decoded = ReturnType<typeof decodeInstruction>;

/** An offset for an access, 16 bits without a sign for LI and LIH, and with one else. */
function priorityImmediate(f: ReturnType<typeof cutInstruction>, access: Bit): UInt {
  const unsigned = f.code.bits(4, 4).eq(0),
    offset = extend(f.imm.bits(0, offsetBits), 64);
  return node(mux(access, offset, mux(unsigned, f.imm.zext(64), extend(f.imm, 64))), { name: "immediate" });
}
