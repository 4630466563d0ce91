import {
  formNamed,
  type InstructionForm,
  isLegal,
  join,
  mostPrograms,
  mostWords,
  type Operand,
  operation,
  type Parts,
  registers,
} from "../wire/index.ts";
import { unreachable } from "./reach.ts";

/** A text that is no program: all that is wrong with it, each with its line. */
export class AssemblyError extends Error {
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.problems = problems;
  }
}

/**
 * An image: instructions from 0 on, the programs' jumps first, and the programs' names in the order of their numbers.
 */
export interface Image {
  readonly instructions: readonly number[];
  readonly programs: readonly string[];
}
interface Line {
  readonly number: number;
  readonly form: InstructionForm;
  readonly operands: readonly string[];
}

/** Instructions that the engine's largest program memory has. */
const mostInstructions = 4096;

/** The lines of a text as labels, names, constants, programs and instructions. */
class Reader {
  readonly lines: Line[] = [];
  readonly labels = new Map<string, number>();
  readonly names = new Map<string, number>();
  readonly programs: { readonly name: string; readonly at: number }[] = [];
  readonly problems: string[] = [];

  constructor(text: string) {
    text.split("\n").forEach((raw, i) => this.#line(raw.replace(/[;#].*$/, "").trim(), i + 1));
  }

  #line(text: string, number: number): void {
    const label = /^([A-Za-z_]\w*):\s*(.*)$/.exec(text);
    if (label) {
      const [, name = "", rest = ""] = label;
      if (this.labels.has(name)) this.problems.push(`line ${number}: label ${name} is there already`);
      this.labels.set(name, mostPrograms + this.lines.length);
      this.#line(rest, number);
      return;
    }
    if (text === "") return;
    const [word = "", ...rest] = text.split(/\s+/),
      operands = rest
        .join(" ")
        .split(",")
        .map(o => o.trim())
        .filter(o => o !== "");
    if (word === ".program") this.#program(operands, number);
    else if (word === ".const") this.#constant(rest, number);
    else this.#instruction(word, operands, number);
  }
  #program(operands: readonly string[], number: number): void {
    const [name = ""] = operands;
    if (!/^[A-Za-z_][\w-]*$/.test(name)) this.problems.push(`line ${number}: .program wants a name`);
    else if (this.programs.length === mostPrograms)
      this.problems.push(`line ${number}: an image has at most ${mostPrograms} programs`);
    else if (this.programs.some(p => p.name === name))
      this.problems.push(`line ${number}: program ${name} is there already`);
    else this.programs.push({ name, at: mostPrograms + this.lines.length });
  }
  #constant([name = "", value = ""]: readonly string[], number: number): void {
    const n = Number(value);
    if (!/^[A-Za-z_]\w*$/.test(name) || value === "" || !Number.isInteger(n))
      this.problems.push(`line ${number}: .const wants a name and a whole number`);
    else this.names.set(name, n);
  }
  #instruction(word: string, operands: readonly string[], number: number): void {
    const form = formNamed(word);
    if (!form) this.problems.push(`line ${number}: there is no instruction ${word}`);
    else if (form.operands.length !== operands.length)
      this.problems.push(
        `line ${number}: ${word} has ${form.operands.length} operands (${form.operands.join(", ")}), not ${operands.length}`,
      );
    else this.lines.push({ number, form, operands });
  }
}

const none: Omit<Parts, "code"> = { rd: 0, ra: 0, imm: 0 };

/**
 * Machine code of a text. `label:` names the next instruction, `.program name` begins the next program there, `.const
 * name number` names a number, `;` begins a comment. @throws AssemblyError for unknown or repeated names, registers and
 * numbers out of their range, code that nothing reaches, and code that runs past its end. Loops are not looked at:
 * the engine bounds them.
 */
export function assemble(text: string): Image {
  const read = new Reader(text),
    problems = [...read.problems];
  const number = (token: string): number | undefined => {
    const n = read.names.get(token) ?? (/^-?(?:0x[\da-f]+|\d+)$/i.test(token) ? parse(token) : undefined);
    return n;
  };
  const partOf = (operand: Operand, token: string, line: number): Partial<Parts> => {
    const bad = (what: string): Partial<Parts> => {
      problems.push(`line ${line}: ${token} ${what}`);
      return {};
    };
    const ranged = (low: number, high: number, put: (n: number) => number): Partial<Parts> => {
      const n = number(token);
      return n === undefined || n < low || n > high
        ? bad(`is no number from ${low} to ${high}`)
        : { imm: put(n) & 0xffff };
    };
    const register = (t: string): number | undefined => {
      const n = /^r(\d{1,2})$/.exec(t)?.[1];
      return n !== undefined && Number(n) < registers ? Number(n) : undefined;
    };
    switch (operand) {
      case "rd":
      case "ra":
      case "rb": {
        const r = register(token);
        if (r === undefined) return bad(`is no register r0 to r${registers - 1}`);
        return operand === "rb" ? { imm: r } : { [operand]: r };
      }
      case "unsigned":
        return ranged(0, 0xffff, n => n);
      case "signed":
        return ranged(-0x8000, 0x7fff, n => n);
      case "which":
        return ranged(0, 1, n => n);
      case "words":
        return ranged(1, mostWords, n => (n - 1) << 13);
      case "count":
        return ranged(0, mostWords, n => n);
      case "target": {
        const at = read.labels.get(token);
        return at === undefined ? bad("is no label") : { imm: at };
      }
      case "memory": {
        const [, base = "", sign = "+", offset = "0"] = /^\[\s*(\w+)\s*(?:([+-])\s*(\w+)\s*)?\]$/.exec(token) ?? [],
          ra = register(base),
          n = number(offset);
        if (ra === undefined) return bad(`is no address [r0] to [r${registers - 1} + offset]`);
        const value = n === undefined ? Number.NaN : sign === "-" ? -n : n;
        if (!(value >= -4096 && value <= 4095)) return bad("has an offset that is no number from -4096 to 4095");
        return { ra, imm: value & 0x1fff };
      }
    }
  };
  const code = read.lines.map(({ form, operands, number: line }) => {
    // Words and offset share `imm`.
    const parts = form.operands.map((o, i) => partOf(o, operands[i] as string, line)),
      imm = parts.reduce((all, p) => all | (p.imm ?? 0), 0);
    const whole = { ...none, ...Object.assign({}, ...(parts as object[])), code: form.code, imm } as Parts;
    if (!isLegal(whole, mostWords)) problems.push(`line ${line}: ${form.name} goes past register r${registers - 1}`);
    return join(whole);
  });
  const jumps = Array.from({ length: mostPrograms }, (_, i) => {
    const at = read.programs[i]?.at;
    return at === undefined ? 0 : join({ ...none, code: operation.jmp, imm: at });
  });
  const instructions = [...jumps, ...code];
  if (read.programs.length === 0) problems.push("there is no program: .program name begins one");
  if (instructions.length > mostInstructions)
    problems.push(`there are ${instructions.length} instructions; an image has at most ${mostInstructions}`);
  if (problems.length === 0)
    for (const { at, what } of unreachable(instructions))
      problems.push(`line ${read.lines[at - mostPrograms]?.number ?? read.lines.length}: ${what}`);
  if (problems.length > 0) throw new AssemblyError(problems);
  return { instructions, programs: read.programs.map(p => p.name) };
}

const parse = (token: string): number => (token.startsWith("-") ? -Number(token.slice(1)) : Number(token));

/** The image as bytes, and back. */
export function imageBytes(image: readonly number[]): Uint8Array {
  const out = new DataView(new ArrayBuffer(4 * image.length));
  image.forEach((w, i) => out.setUint32(4 * i, w, true));
  return new Uint8Array(out.buffer);
}
export function imageOf(bytes: Uint8Array): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, i) => view.getUint32(4 * i, true));
}
