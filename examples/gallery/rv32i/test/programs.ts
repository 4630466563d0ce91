/** Programs for the core: one that computes, and ones that are drawn at random. */
import type { Random } from "mnemosyne/sim";
import { encode, forms } from "./encode.ts";

/** Primes below 100 by Eratosthenes's sieve, their number in a0; then a text's bytes backwards; then ECALL. */
export const sieve = `
        li   s0, 100            # bound
        la   s1, marks
        li   t0, 2
outer:  add  t1, t0, t0
inner:  bgeu t1, s0, next
        add  t2, s1, t1
        li   t3, 1
        sb   t3, 0(t2)
        add  t1, t1, t0
        j    inner
next:   addi t0, t0, 1
        blt  t0, s0, outer
        li   a0, 0
        li   t0, 2
count:  add  t2, s1, t0
        lbu  t3, 0(t2)
        seqz t3, t3
        add  a0, a0, t3
        addi t0, t0, 1
        bltu t0, s0, count
        la   a1, text
        la   a2, copy
        li   a3, 11
        jal  ra, turn
        ecall
turn:   beqz a3, 1f
        addi a3, a3, -1
        add  t0, a1, a3
        lb   t1, 0(t0)
        sb   t1, 0(a2)
        addi a2, a2, 1
        j    turn
1:      ret
.data
marks:  .dword 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
text:   .byte 104, 101, 108, 108, 111, 32, 119, 111, 114, 108, 100
copy:   .dword 0, 0
`;

const corners = [0, 1, 2, 31, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0xffff_8000, 0x0000_8080];

/**
 * Straight on and forwards only, so that it ends: registers are given corner values, then `count` instructions of every
 * kind follow, and ECALL. All that is not written is random. x31 holds the middle of a region of 4 KB at
 * `data`, which loads and stores use, and x30 an address from which indirect jumps reach every instruction.
 */
export function randomProgram(random: Random, count: number, data: number): Uint8Array {
  const middle = 1024;
  const words: number[] = [];
  const put = (name: string, f: Parameters<typeof encode>[1] = {}): void => {
    words.push(encode(name, f));
  };
  const load = (rd: number, value: number): void => {
    put("lui", { rd, imm: (value + 0x800) >>> 12 });
    put("addi", { rd, rs1: rd, imm: (value << 20) >> 20 });
  };
  for (let rd = 1; rd < 30; rd++) load(rd, random.chance(0.5) ? random.pick(corners) : random.below(2 ** 32));
  load(30, middle);
  load(31, data + 2048);
  const names = Object.keys(forms).filter(n => !["ecall", "ebreak"].includes(n)),
    end = words.length + count;
  while (words.length < end) {
    const name = random.pick(names),
      left = end - words.length,
      ahead = 4 * random.between(1, Math.min(left, 4));
    const rd = random.below(30),
      rs1 = random.below(31),
      rs2 = random.below(31);
    switch (forms[name]?.format) {
      case "R":
        put(name, { rd, rs1, rs2 });
        break;
      case "I":
        put(name, { rd, rs1, imm: random.between(-2048, 2047) });
        break;
      case "shift":
        put(name, { rd, rs1, imm: random.below(32) });
        break;
      case "load":
      case "S": {
        const step = /w$/.test(name) ? 4 : /hu?$/.test(name) ? 2 : 1,
          imm = step * random.between(-2048 / step, 2048 / step - 1);
        if (name === "jalr") put(name, { rd, rs1: 30, imm: 4 * words.length + ahead - middle + random.below(2) });
        else put(name, { rs1: 31, imm, ...(forms[name].format === "S" ? { rs2 } : { rd }) });
        break;
      }
      case "B":
        put(name, { rs1: random.chance(0.2) ? rs2 : rs1, rs2, imm: ahead });
        break;
      case "U":
        put(name, { rd, imm: random.below(2 ** 20) });
        break;
      case "J":
        put(name, { rd, imm: ahead });
        break;
      default:
        put(name);
    }
  }
  put("ecall");
  const image = random.bytes(data + 4096);
  image.set(words.flatMap(w => [w & 0xff, (w >>> 8) & 0xff, (w >>> 16) & 0xff, w >>> 24]));
  return image;
}
