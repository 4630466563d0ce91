/** RV32I's instruction formats (The RISC-V Instruction Set Manual, volume I, chapter 2). */
import { type Bit, cat, node, onehotMux, orTree, repeat, type UInt } from "mnemosyne";

/** What an instruction is, one bit for each kind, and its fields. */
export interface Decoded {
  readonly load: Bit;
  readonly store: Bit;
  readonly branch: Bit;
  readonly jal: Bit;
  readonly jalr: Bit;
  readonly lui: Bit;
  readonly auipc: Bit;
  readonly immediate: Bit;
  readonly register: Bit;
  readonly fence: Bit;
  readonly ecall: Bit;
  readonly ebreak: Bit;
  /** No instruction of RV32I, nor FENCE.I. */
  readonly illegal: Bit;
  readonly funct3: UInt<3>;
  /** SUB in the place of ADD, SRA in the place of SRL. */
  readonly alternate: Bit;
  readonly value: UInt<32>;
  readonly rd: UInt<5>;
  readonly rs1: UInt<5>;
  readonly rs2: UInt<5>;
}

/** The immediates of the five formats that have one. */
function immediates(word: UInt<32>): Readonly<Record<"i" | "s" | "b" | "u" | "j", UInt<32>>> {
  const sign = word.bit(31);
  const field = (lo: number, width: number): UInt => word.bits(lo, width);
  return {
    i: cat(repeat(sign, 20), field(20, 12)).is(32),
    s: cat(repeat(sign, 20), field(25, 7), field(7, 5)).is(32),
    b: cat(repeat(sign, 20), field(7, 1), field(25, 6), field(8, 4), field(0, 1).andNot(1)).is(32),
    u: cat(field(12, 20), word.bits(0, 12).andNot(0xfff)).is(32),
    j: cat(repeat(sign, 12), field(12, 8), field(20, 1), field(21, 10), field(0, 1).andNot(1)).is(32),
  };
}

export function decode(word: UInt<32>): Decoded {
  const funct3 = word.bits(12, 3),
    funct7 = word.bits(25, 7),
    plain = funct7.eq(0),
    other = funct7.eq(0x20),
    isShift = funct3.eq(1).or(funct3.eq(5)),
    mayAlternate = funct3.eq(0).or(funct3.eq(5));
  // The two lowest bits are 1 in each: `illegal` looks at them, so that a choice by opcode is one LUT.
  const opcode = (code: number): Bit => word.bits(2, 5).eq(code >> 2);
  const load = opcode(0x03),
    fence = opcode(0x0f),
    immediate = opcode(0x13),
    auipc = opcode(0x17),
    store = opcode(0x23),
    register = opcode(0x33),
    lui = opcode(0x37),
    branch = opcode(0x63),
    jalr = opcode(0x67),
    jal = opcode(0x6f),
    ecall = word.eq(0x0000_0073),
    ebreak = word.eq(0x0010_0073);
  const legal = [
    auipc,
    lui,
    jal,
    ecall,
    ebreak,
    jalr.and(funct3.eq(0)),
    fence.and(funct3.le(1)),
    branch.and(funct3.bits(1, 2).ne(1)),
    load.and(funct3.bits(0, 2).ne(3)).and(funct3.ne(6)),
    store.and(funct3.le(2)),
    immediate.and(
      isShift
        .not()
        .or(plain)
        .or(other.and(funct3.eq(5))),
    ),
    register.and(plain.or(other.and(mayAlternate))),
  ];
  const imm = immediates(word);
  return {
    ...{ load, store, branch, jal, jalr, lui, auipc, immediate, register, fence, ecall, ebreak },
    illegal: node(orTree(legal).and(word.bits(0, 2).eq(3)).not(), { name: "illegal" }),
    funct3,
    alternate: word.bit(30).and(register.or(immediate.and(funct3.eq(5)))),
    value: onehotMux(
      [load.or(immediate).or(jalr), store, branch, lui.or(auipc), jal],
      [imm.i, imm.s, imm.b, imm.u, imm.j],
    ),
    rd: word.bits(7, 5),
    rs1: word.bits(15, 5),
    rs2: word.bits(20, 5),
  };
}
