import { formOf, mostPrograms, offsetOf, type Operand, type Parts, partsOf, signed, wordsOf } from "../wire/index.ts";
import type { Image } from "./assemble.ts";

function operandText(operand: Operand, p: Parts): string {
  switch (operand) {
    case "rd":
      return `r${p.rd}`;
    case "ra":
      return `r${p.ra}`;
    case "rb":
      return `r${p.imm & 0xf}`;
    case "unsigned":
      return String(p.imm);
    case "signed":
      return String(signed(p.imm, 16));
    case "target":
      return `at_${p.imm}`;
    case "which":
      return String(p.imm & 1);
    case "memory": {
      const offset = offsetOf(p.imm);
      return `[r${p.ra} ${offset < 0 ? "-" : "+"} ${Math.abs(offset)}]`;
    }
    case "words":
      return String(wordsOf(p.imm));
    case "count":
      return String(p.imm & 0xf);
  }
}

/** One instruction as text; `undefined` when it is none. */
export function instructionText(word: number): string | undefined {
  const p = partsOf(word),
    form = formOf(p.code);
  return form && [form.name, form.operands.map(o => operandText(o, p)).join(", ")].join(" ").trim();
}

/** A text whose code is that of the image. Labels are the instructions' numbers. */
export function disassemble({ instructions, programs }: Image): string {
  const targets = new Set(
    instructions.filter(w => formOf(partsOf(w).code)?.operands.includes("target")).map(w => partsOf(w).imm),
  );
  const lines: string[] = [];
  const order = [...programs.entries()].map(([i, name]) => ({ name, at: partsOf(instructions[i] ?? 0).imm }));
  for (let at = mostPrograms; at < instructions.length; at++) {
    for (const p of order) if (p.at === at) lines.push(`.program ${p.name}`);
    if (targets.has(at)) lines.push(`at_${at}:`);
    lines.push(
      `  ${instructionText(instructions[at] as number) ?? `; 0x${(instructions[at] as number).toString(16)}`}`,
    );
  }
  return `${lines.join("\n")}\n`;
}
