/** RV32I as its manual tells it, an instruction at a time: what the core is compared with. */

export type Cause = "none" | "ecall" | "ebreak" | "illegal" | "misaligned" | "fault";
/** What an instruction did: `rd` is 0 when it wrote no register; a store's bytes are in `stored`. */
export interface Step {
  readonly pc: number;
  readonly name: string;
  readonly rd: number;
  readonly value: number;
  readonly stored?: { readonly address: number; readonly bytes: readonly number[] };
}

const arithmetic: readonly [string, (a: number, b: number) => number][] = [
  ["add", (a, b) => a + b],
  ["sll", (a, b) => a << (b & 31)],
  ["slt", (a, b) => Number((a | 0) < (b | 0))],
  ["sltu", (a, b) => Number(a >>> 0 < b >>> 0)],
  ["xor", (a, b) => a ^ b],
  ["srl", (a, b) => (a >>> 0) >>> (b & 31)],
  ["or", (a, b) => a | b],
  ["and", (a, b) => a & b],
];
const alternates: Readonly<Record<number, [string, (a: number, b: number) => number]>> = {
  0: ["sub", (a, b) => a - b],
  5: ["sra", (a, b) => (a | 0) >> (b & 31)],
};
const conditions: Readonly<Record<number, [string, (a: number, b: number) => boolean]>> = {
  0: ["beq", (a, b) => a === b],
  1: ["bne", (a, b) => a !== b],
  4: ["blt", (a, b) => (a | 0) < (b | 0)],
  5: ["bge", (a, b) => (a | 0) >= (b | 0)],
  6: ["bltu", (a, b) => a < b],
  7: ["bgeu", (a, b) => a >= b],
};
const loads: Readonly<Record<number, [name: string, bytes: number, signed: boolean]>> = {
  0: ["lb", 1, true],
  1: ["lh", 2, true],
  2: ["lw", 4, true],
  4: ["lbu", 1, false],
  5: ["lhu", 2, false],
};
const stores = ["sb", "sh", "sw"];

/** Thrown within a step: the instruction has no effect. */
class Stop extends Error {
  readonly why: Cause;
  constructor(why: Cause) {
    super(why);
    this.why = why;
  }
}

export class Model {
  readonly registers = new Uint32Array(32);
  readonly memory: Uint8Array;
  cause: Cause = "none";
  pc: number;

  constructor(memory: Uint8Array, pc = 0) {
    this.memory = memory;
    this.pc = pc;
  }

  /** The next instruction, or undefined when the core stops at it: `cause` says why. */
  step(): Step | undefined {
    try {
      return this.#execute(this.#read(this.pc, 4));
    } catch (e) {
      if (!(e instanceof Stop)) throw e;
      this.cause = e.why;
      return undefined;
    }
  }

  #read(address: number, bytes: number): number {
    if (address % bytes !== 0) throw new Stop("misaligned");
    if (address + bytes > this.memory.length) throw new Stop("fault");
    return Array.from({ length: bytes }).reduce<number>(
      (v, _, i) => (v + (this.memory[address + i] ?? 0) * 2 ** (8 * i)) >>> 0,
      0,
    );
  }

  #execute(w: number): Step {
    const rd = (w >>> 7) & 31,
      funct3 = (w >>> 12) & 7,
      funct7 = w >>> 25,
      a = this.registers[(w >>> 15) & 31] ?? 0,
      b = this.registers[(w >>> 20) & 31] ?? 0,
      i = w >> 20,
      upper = w & 0xffff_f000;
    const next = this.pc + 4;
    switch (w & 0x7f) {
      case 0x37:
        return this.#write("lui", rd, upper, next);
      case 0x17:
        return this.#write("auipc", rd, this.pc + upper, next);
      case 0x6f:
        return this.#write("jal", rd, next, this.pc + distanceJ(w));
      case 0x67:
        if (funct3 !== 0) throw new Stop("illegal");
        return this.#write("jalr", rd, next, (a + i) & ~1);
      case 0x63: {
        const [name, holds] = conditions[funct3] ?? [undefined, () => false];
        if (name === undefined) throw new Stop("illegal");
        return this.#write(name, 0, 0, holds(a, b) ? this.pc + distanceB(w) : next);
      }
      case 0x03:
        return this.#load(rd, funct3, (a + i) >>> 0, next);
      case 0x23:
        return this.#store(funct3, (a + (((w >> 25) << 5) | rd)) >>> 0, b, next);
      case 0x13:
        return this.#compute(rd, funct3, a, i, funct3 === 1 || funct3 === 5 ? funct7 : 0, "i", next);
      case 0x33:
        return this.#compute(rd, funct3, a, b, funct7, "", next);
      case 0x0f:
        if (funct3 > 1) throw new Stop("illegal");
        return this.#write(funct3 === 0 ? "fence" : "fence.i", 0, 0, next);
      default:
        throw new Stop(w === 0x73 ? "ecall" : w === 0x100073 ? "ebreak" : "illegal");
    }
  }

  #compute(rd: number, funct3: number, a: number, b: number, funct7: number, tail: string, next: number): Step {
    const found = funct7 === 0 ? arithmetic[funct3] : funct7 === 0x20 ? alternates[funct3] : undefined;
    if (found === undefined || (tail === "i" && found[0] === "sub")) throw new Stop("illegal");
    return this.#write(found[0] === "sltu" && tail === "i" ? "sltiu" : found[0] + tail, rd, found[1](a, b), next);
  }
  #load(rd: number, funct3: number, address: number, next: number): Step {
    const load = loads[funct3];
    if (load === undefined) throw new Stop("illegal");
    const [name, bytes, signed] = load,
      value = this.#read(address, bytes),
      free = 32 - 8 * bytes;
    return this.#write(name, rd, signed ? (value << free) >> free : value, next);
  }
  #store(funct3: number, address: number, value: number, next: number): Step {
    const name = stores[funct3];
    if (name === undefined) throw new Stop("illegal");
    this.#read(address, 2 ** funct3);
    const bytes = Array.from({ length: 2 ** funct3 }, (_, n) => (value >>> (8 * n)) & 0xff);
    this.memory.set(bytes, address);
    return { ...this.#write(name, 0, 0, next), stored: { address, bytes } };
  }

  #write(name: string, rd: number, value: number, next: number): Step {
    if (next % 4 !== 0) throw new Stop("misaligned");
    const step = { pc: this.pc, name, rd, value: value >>> 0 };
    if (rd !== 0) this.registers[rd] = value;
    this.pc = next >>> 0;
    return step;
  }
}

const distanceB = (w: number): number =>
  ((w >> 31) << 12) | (((w >>> 7) & 1) << 11) | (((w >>> 25) & 0x3f) << 5) | (((w >>> 8) & 0xf) << 1);
const distanceJ = (w: number): number =>
  ((w >> 31) << 20) | (w & 0xff000) | (((w >>> 20) & 1) << 11) | (((w >>> 21) & 0x3ff) << 1);
