/** Words of RV32I's instructions, by mnemonic (The RISC-V Instruction Set Manual, volume I, "RV32/64G Listings"). */

/** Fields of an instruction as its operands give them; what a format does not have stays 0. */
export interface Fields {
  readonly rd?: number;
  readonly rs1?: number;
  readonly rs2?: number;
  /** A value, not bits: that of a branch or a jump is the distance in bytes. */
  readonly imm?: number;
}
export type Format = "R" | "I" | "shift" | "load" | "S" | "B" | "U" | "J" | "none";
interface Form {
  readonly format: Format;
  readonly opcode: number;
  readonly funct3?: number;
  readonly high?: number;
}

const family = (format: Format, opcode: number, names: readonly string[]): Record<string, Form> =>
  Object.fromEntries(names.flatMap((n, funct3) => (n === "" ? [] : [[n, { format, opcode, funct3 }] as const])));

export const forms: Readonly<Record<string, Form>> = {
  ...family("R", 0x33, ["add", "sll", "slt", "sltu", "xor", "srl", "or", "and"]),
  sub: { format: "R", opcode: 0x33, funct3: 0, high: 0x20 },
  sra: { format: "R", opcode: 0x33, funct3: 5, high: 0x20 },
  ...family("I", 0x13, ["addi", "", "slti", "sltiu", "xori", "", "ori", "andi"]),
  ...family("shift", 0x13, ["", "slli", "", "", "", "srli"]),
  srai: { format: "shift", opcode: 0x13, funct3: 5, high: 0x20 },
  ...family("load", 0x03, ["lb", "lh", "lw", "", "lbu", "lhu"]),
  ...family("S", 0x23, ["sb", "sh", "sw"]),
  ...family("B", 0x63, ["beq", "bne", "", "", "blt", "bge", "bltu", "bgeu"]),
  lui: { format: "U", opcode: 0x37 },
  auipc: { format: "U", opcode: 0x17 },
  jal: { format: "J", opcode: 0x6f },
  jalr: { format: "load", opcode: 0x67, funct3: 0 },
  fence: { format: "none", opcode: 0x0f },
  "fence.i": { format: "none", opcode: 0x0f, funct3: 1 },
  ecall: { format: "none", opcode: 0x73 },
  ebreak: { format: "none", opcode: 0x73 },
};

const bits = (v: number, lo: number, n: number): number => (v >> lo) & (2 ** n - 1);

/** @throws RangeError for an immediate that the format cannot hold */
function checked(name: string, imm: number, least: number, most: number, step: number): number {
  if (imm >= least && imm <= most && imm % step === 0) return imm;
  throw new RangeError(`${name}: ${imm} is not one of ${least} to ${most} in steps of ${step}`);
}

/** The bits of the immediate, in their places. */
function placed(name: string, format: Format, imm: number): number {
  switch (format) {
    case "I":
    case "load":
      return bits(checked(name, imm, -2048, 2047, 1), 0, 12) << 20;
    case "shift":
      return checked(name, imm, 0, 31, 1) << 20;
    case "S":
      checked(name, imm, -2048, 2047, 1);
      return (bits(imm, 5, 7) << 25) | (bits(imm, 0, 5) << 7);
    case "B":
      checked(name, imm, -4096, 4094, 2);
      return (bits(imm, 12, 1) << 31) | (bits(imm, 5, 6) << 25) | (bits(imm, 1, 4) << 8) | (bits(imm, 11, 1) << 7);
    case "U":
      return checked(name, imm, 0, 0xfffff, 1) << 12;
    case "J":
      checked(name, imm, -(2 ** 20), 2 ** 20 - 2, 2);
      return (bits(imm, 20, 1) << 31) | (bits(imm, 1, 10) << 21) | (bits(imm, 11, 1) << 20) | (bits(imm, 12, 8) << 12);
    case "R":
    case "none":
      return 0;
  }
}

/** @throws RangeError for a mnemonic that RV32I does not have */
export function encode(name: string, f: Fields = {}): number {
  const form = forms[name];
  if (form === undefined) throw new RangeError(`${name} is no instruction of RV32I`);
  const fixed = form.opcode | ((form.funct3 ?? 0) << 12) | ((form.high ?? 0) << 25) | (name === "ebreak" ? 1 << 20 : 0);
  const registers = ((f.rd ?? 0) << 7) | ((f.rs1 ?? 0) << 15) | ((f.rs2 ?? 0) << 20);
  return (fixed | registers | placed(name, form.format, f.imm ?? 0)) >>> 0;
}
