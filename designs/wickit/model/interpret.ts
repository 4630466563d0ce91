import { status } from "../../clio/wire/index.ts";
import {
  brings,
  formOf,
  isLegal,
  type Mnemonic,
  mostPrograms,
  noInstruction,
  offsetOf,
  type Parts,
  partsOf,
  registers,
  sends,
  signed,
  wordsOf,
} from "../wire/index.ts";
import { crc32Of } from "./crc.ts";

/** An access to memory, as the engine's port has it. */
export interface Access {
  readonly kind: "load" | "store" | "tas" | "cas" | "faa" | "put";
  readonly va: bigint;
  /** Words at `va`. */
  readonly words: number;
  readonly sent: readonly bigint[];
}
export interface AccessAnswer {
  readonly status: number;
  readonly words: readonly bigint[];
}
/** How a request ended. `registers` as they stood then. */
export interface WicOutcome {
  readonly status: number;
  readonly words: readonly bigint[];
  readonly registers: readonly bigint[];
  readonly steps: number;
}
export interface WicMachine {
  /** Instructions, the programs' jumps first. */
  readonly image: readonly number[];
  readonly base: bigint;
  readonly mostSteps: number;
  readonly replyWords: number;
}
export interface WicCall {
  readonly program: number;
  readonly words: readonly bigint[];
}

const word = (v: bigint): bigint => BigInt.asUintN(64, v);
type Binary = (a: bigint, b: bigint) => bigint;
const arithmetic: Readonly<Partial<Record<Mnemonic, Binary>>> = {
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
  and: (a, b) => a & b,
  or: (a, b) => a | b,
  xor: (a, b) => a ^ b,
  shl: (a, b) => a << (b & 63n),
  shr: (a, b) => a >> (b & 63n),
};
const branches: Readonly<Partial<Record<Mnemonic, (a: bigint, b: bigint) => boolean>>> = {
  beq: (a, b) => a === b,
  bne: (a, b) => a !== b,
  blt: (a, b) => a < b,
  bge: (a, b) => a >= b,
  jmp: () => true,
};
const accesses: ReadonlySet<string> = new Set(["load", "store", "tas", "cas", "faa", "put"]);

/** What an instruction without access, branch or end leaves in rd. */
function computed(name: Mnemonic, p: Parts, regs: readonly bigint[], base: bigint): bigint {
  const a = regs[p.ra] as bigint,
    number = BigInt(signed(p.imm, 16));
  switch (name) {
    case "li":
      return BigInt(p.imm);
    case "lih":
      return (a << 16n) | BigInt(p.imm);
    case "base":
      return base;
    case "hash":
      return BigInt(crc32Of((p.imm & 1) as 0 | 1, a));
    default: {
      const plain = arithmetic[name],
        withNumber = arithmetic[name.slice(0, -1) as Mnemonic];
      return plain ? plain(a, regs[p.imm & 0xf] as bigint) : (withNumber as Binary)(a, word(number));
    }
  }
}

/**
 * One request, instruction by instruction, as docs/wickit.md says what each does: gives each access to memory, takes
 * its answer, ends with the reply. YIELD only gives way, so it does nothing here.
 */
export function* interpret(m: WicMachine, call: WicCall): Generator<Access, WicOutcome, AccessAnswer> {
  const regs = Array.from({ length: registers }, (_, i) => call.words[i] ?? 0n);
  let pc = call.program < mostPrograms ? call.program : 0xffff,
    steps = 0;
  const end = (code: number, words: readonly bigint[] = []): WicOutcome => ({
    status: code,
    words,
    registers: regs,
    steps,
  });
  for (;;) {
    const p = partsOf(m.image[pc] ?? noInstruction),
      name = formOf(p.code)?.name;
    if (steps === m.mostSteps) return end(status.QUOTA);
    if (name === undefined || !isLegal(p, m.replyWords)) return end(status.MALFORMED);
    steps++;
    pc = (pc + 1) & 0xffff;
    if (name === "fail") return end(status.FAIL);
    if (name === "reply") return end(status.OK, regs.slice(p.rd, p.rd + (p.imm & 0xf)));
    if (name === "yield") continue;
    const branch = branches[name];
    if (branch) {
      if (branch(regs[p.rd] as bigint, regs[p.ra] as bigint)) pc = p.imm;
    } else if (accesses.has(name)) {
      const answer = yield {
        kind: name as Access["kind"],
        va: word((regs[p.ra] as bigint) + BigInt(offsetOf(p.imm))),
        words: name === "load" || name === "store" ? wordsOf(p.imm) : 1,
        sent: regs.slice(p.rd, p.rd + sends(p.code, p.imm)),
      };
      if (answer.status !== status.OK) return end(answer.status);
      for (let i = 0; i < brings(p.code, p.imm); i++) regs[p.rd + i] = answer.words[i] as bigint;
    } else regs[p.rd] = word(computed(name, p, regs, m.base));
  }
}

/** A request from its start to its end on a memory that answers at once. */
export function runWic(m: WicMachine, call: WicCall, memory: (access: Access) => AccessAnswer): WicOutcome {
  const run = interpret(m, call);
  let step = run.next();
  while (step.done !== true) step = run.next(memory(step.value));
  return step.value;
}
