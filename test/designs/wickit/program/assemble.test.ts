import { describe, expect, test } from "vitest";
import { assemble, AssemblyError, disassemble, imageBytes, imageOf } from "../../../../designs/wickit/program/index.ts";
import { crc32Of } from "../../../../designs/wickit/model/index.ts";
import { hashConstant, hashStep, instructionForms } from "../../../../designs/wickit/wire/index.ts";
import { Random } from "../../../../sim/index.ts";
import { example } from "../support/programs.ts";

const problems = (text: string): readonly string[] => {
  try {
    assemble(text);
  } catch (e) {
    if (e instanceof AssemblyError) return e.problems;
    throw e;
  }
  return [];
};
const program = (...lines: readonly string[]): string => [".program p", ...lines, "  reply r0, 1"].join("\n");

describe("the assembler", () => {
  test("every instruction is written and read again as it is", () => {
    const text = `.const size 16
.program all
again:
  li r1, 65535
  lih r1, r1, 0x1234
  base r2
  hash r3, r1, 1
  add r1, r2, r3
  sub r1, r2, r3
  and r1, r2, r3
  or r1, r2, r3
  xor r1, r2, r3
  shl r1, r2, r3
  shr r1, r2, r3
  addi r4, r4, -32768
  subi r4, r4, size
  andi r4, r4, 1
  ori r4, r4, 1
  xori r4, r4, -1
  shli r4, r4, 3
  shri r4, r4, 63
  load r8, [r2 + 4095], 8
  store r8, [r2 - 4096], 8
  tas r5, [r2]
  cas r6, [r2 + size]
  faa r5, [r2 + 8]
  put r5, [r2 + 8]
  yield
  beq r1, r2, again
  bne r1, r2, again
  blt r1, r2, again
  bge r1, r2, out
  jmp again
out:
  bne r0, r1, bad
  reply r8, 8
bad:
  fail
`;
    const image = assemble(text);
    expect(assemble(disassemble(image))).toEqual(image);
    expect(imageOf(imageBytes(image.instructions))).toEqual(image.instructions);
    const used = new Set(image.instructions.map(w => w & 0xff));
    expect(instructionForms.filter(f => !used.has(f.code))).toEqual([]);
  });
  test("the examples are read again as they are", () => {
    for (const name of ["list", "log", "kv"] as const) {
      const image = example(name);
      expect(assemble(disassemble(image))).toEqual(image);
    }
  });
  const refused: readonly (readonly [string, string, RegExp])[] = [
    ["an unknown instruction", program("  mul r1, r2, r3"), /line 2: there is no instruction mul/],
    ["operands that are missing", program("  add r1, r2"), /add has 3 operands .*, not 2/],
    ["a register that is none", program("  add r1, r2, r16"), /r16 is no register/],
    ["a number that is too large", program("  li r1, 65536"), /65536 is no number from 0 to 65535/],
    ["an offset that is too large", program("  load r1, [r2 + 4096], 1"), /offset/],
    ["no word at all", program("  load r1, [r2], 0"), /0 is no number from 1 to 8/],
    ["words past the last register", program("  load r9, [r2], 8"), /goes past register r15/],
    ["a CAS in the last register", program("  cas r15, [r2]"), /goes past register r15/],
    ["a label that is none", program("  jmp nowhere"), /nowhere is no label/],
    ["a label twice", program("a:", "a:", "  jmp a"), /label a is there already/],
    ["code that nothing reaches", program("  jmp end", "  yield", "end:"), /line 3: nothing reaches this/],
    ["a program that runs past its end", ".program p\n  yield", /runs past its end/],
    ["no program", "  reply r0, 1", /there is no program/],
    ["a program twice", ".program p\n.program p\n  reply r0, 1", /program p is there already/],
    ["seventeen programs", Array.from({ length: 17 }, (_, i) => `.program p${i}`).join("\n"), /at most 16 programs/],
  ];
  for (const [what, text, expected] of refused)
    test(`refuses ${what}`, () => {
      expect(problems(text).join("\n")).toMatch(expected);
    });
});

test("the two hashes are the CRCs of the word's bytes, as published check values and both ways of counting have them", () => {
  // "12345678" as bytes: CRC-32C 0x6087809a, CRC-32 0x9ae0daaf.
  const word = 0x3837_3635_3433_3231n;
  expect([crc32Of(0, word), crc32Of(1, word)]).toEqual([0x6087_809a, 0x9ae0_daaf]);
  const r = new Random(1);
  for (let i = 0; i < 50; i++) {
    const v = r.bits(64);
    for (const which of [0, 1] as const)
      expect(hashStep(which, 0n, v) ^ hashConstant(which)).toBe(BigInt(crc32Of(which, v)));
  }
});
