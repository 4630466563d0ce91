/**
 * The instructions of a WIC as they stand in an image: 32 bits each, little-endian, `operation` in the lowest byte.
 * One table for the hardware, the assembler, the disassembler and the model.
 */

/** Operands of an instruction, in the order of its text. */
export type Operand =
  /** A register: bits 8 to 11, bits 12 to 15, bits 16 to 19. */
  | "rd"
  | "ra"
  | "rb"
  /** The 16 bits of `imm`: without a sign, with one, and as the number of an instruction. */
  | "unsigned"
  | "signed"
  | "target"
  /** Which of two hashes: bit 16. */
  | "which"
  /** `[ra + offset]`: ra, and bits 16 to 28 with a sign. */
  | "memory"
  /** 1 to 8 words: bits 29 to 31, less 1. */
  | "words"
  /** 0 to 8 words: bits 16 to 19. */
  | "count";

const rows = {
  li: [0x01, "rd", "unsigned"],
  lih: [0x02, "rd", "ra", "unsigned"],
  base: [0x03, "rd"],
  add: [0x10, "rd", "ra", "rb"],
  sub: [0x11, "rd", "ra", "rb"],
  and: [0x12, "rd", "ra", "rb"],
  or: [0x13, "rd", "ra", "rb"],
  xor: [0x14, "rd", "ra", "rb"],
  shl: [0x15, "rd", "ra", "rb"],
  shr: [0x16, "rd", "ra", "rb"],
  addi: [0x18, "rd", "ra", "signed"],
  subi: [0x19, "rd", "ra", "signed"],
  andi: [0x1a, "rd", "ra", "signed"],
  ori: [0x1b, "rd", "ra", "signed"],
  xori: [0x1c, "rd", "ra", "signed"],
  shli: [0x1d, "rd", "ra", "signed"],
  shri: [0x1e, "rd", "ra", "signed"],
  hash: [0x20, "rd", "ra", "which"],
  beq: [0x30, "rd", "ra", "target"],
  bne: [0x31, "rd", "ra", "target"],
  blt: [0x32, "rd", "ra", "target"],
  bge: [0x33, "rd", "ra", "target"],
  jmp: [0x34, "target"],
  load: [0x40, "rd", "memory", "words"],
  store: [0x41, "rd", "memory", "words"],
  tas: [0x42, "rd", "memory"],
  cas: [0x43, "rd", "memory"],
  faa: [0x44, "rd", "memory"],
  put: [0x45, "rd", "memory"],
  reply: [0x50, "rd", "count"],
  fail: [0x51],
  yield: [0x52],
} as const;
export type Mnemonic = keyof typeof rows;

export interface InstructionForm {
  readonly name: Mnemonic;
  readonly code: number;
  readonly operands: readonly Operand[];
}
/** All instructions in order of their codes. */
export const instructionForms: readonly InstructionForm[] = Object.entries(rows).map(([name, [code, ...operands]]) => ({
  name: name as Mnemonic,
  code,
  operands,
}));
/** Codes by name. */
export const operation = Object.fromEntries(Object.entries(rows).map(([n, [code]]) => [n, code])) as {
  readonly [N in Mnemonic]: (typeof rows)[N][0];
};
const byCode = new Map(instructionForms.map(f => [f.code, f]));
const byName = new Map<string, InstructionForm>(instructionForms.map(f => [f.name, f]));
export const formOf = (code: number): InstructionForm | undefined => byCode.get(code);
export const formNamed = (name: string): InstructionForm | undefined => byName.get(name);

/** Registers of a context, of 64 bits each. A request's arguments stand in the first ones; the others read 0. */
export const registers = 16;
/** Most words of a LOAD, a STORE, a REPLY, and a request's arguments. */
export const mostWords = 8;
/** Programs of an image: its first instructions are the programs' jumps to their entries, 0 where there is none. */
export const mostPrograms = 16;
export const instructionBytes = 4,
  wordBytes = 8;
/** The value that an instruction at `pc` counts as where the image has none: an unknown operation. */
export const noInstruction = 0;

/** The parts of an instruction as numbers. */
export interface Parts {
  readonly code: number;
  readonly rd: number;
  readonly ra: number;
  /** Bits 16 to 31. */
  readonly imm: number;
}
export const partsOf = (instruction: number): Parts => ({
  code: instruction & 0xff,
  rd: (instruction >>> 8) & 0xf,
  ra: (instruction >>> 12) & 0xf,
  imm: instruction >>> 16,
});
export const join = ({ code, rd, ra, imm }: Parts): number => (code | (rd << 8) | (ra << 12) | (imm << 16)) >>> 0;

/** A number of `bits` bits with its sign. */
export const signed = (value: number, bits: number): number => (value >= 2 ** (bits - 1) ? value - 2 ** bits : value);
/** The offset, and the words, of an access's `imm`. */
export const offsetBits = 13;
export const offsetOf = (imm: number): number => signed(imm & 0x1fff, offsetBits);
export const wordsOf = (imm: number): number => (imm >>> offsetBits) + 1;

/**
 * Words that an access sends from register `rd` on, and that come back to it. CAS sends the expected value and the new
 * one. What an operation is at the memory stands in `Access` (rtl/types.ts).
 */
export const sends = (code: number, imm: number): number =>
  ({ [operation.store]: wordsOf(imm), [operation.cas]: 2, [operation.faa]: 1, [operation.put]: 1 })[code] ?? 0;
export const brings = (code: number, imm: number): number =>
  ({ [operation.load]: wordsOf(imm), [operation.tas]: 1, [operation.cas]: 1, [operation.faa]: 1 })[code] ?? 0;

/** Whether an instruction is one: its operation is known and its registers exist. */
export function isLegal({ code, rd, imm }: Parts, replyWords: number): boolean {
  if (!byCode.has(code)) return false;
  if (code === operation.reply) return (imm & 0xf) <= replyWords && rd + (imm & 0xf) <= registers;
  return rd + Math.max(sends(code, imm), brings(code, imm)) <= registers;
}
