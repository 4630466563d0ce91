import type { Random } from "../../../../sim/index.ts";
import {
  instructionForms,
  join,
  mostPrograms,
  mostWords,
  operation,
  type Parts,
  registers,
} from "../../../../designs/wickit/wire/index.ts";

// Each hash stands there as often as three others.
const simple = instructionForms.filter(f => f.code < operation.beq),
  hashes = simple.filter(f => f.code === operation.hash),
  plain = [...simple, ...hashes, ...hashes],
  jumping = instructionForms.filter(f => f.code >= operation.beq && f.code <= operation.jmp),
  accesses = instructionForms.filter(f => f.code >= operation.load && f.code <= operation.put);

/** Instructions of a program that ends with all of its registers stored and some of them replied. */
function randomProgram(r: Random, at: number, areaWords: number): number[] {
  const length = r.between(5, 40),
    code: number[] = [];
  const put = (p: Partial<Parts> & { readonly code: number }): number =>
    code.push(join({ rd: 0, ra: 0, imm: 0, ...p }));
  const any = (): number => r.between(0, registers - 1);
  const access = (): void => {
    const f = r.pick(accesses),
      words = r.between(1, mostWords),
      several = f.name === "load" || f.name === "store",
      needs = several ? words : f.name === "cas" ? 2 : 1,
      ra = any();
    // Mostly in the area and aligned; now and then anywhere.
    if (r.chance(0.9)) put({ code: operation.base, rd: ra });
    const offset = r.chance(0.9) ? 8 * r.between(0, areaWords - words) : r.between(-4096, 4095);
    put({
      code: f.code,
      rd: r.chance(0.9)
        ? r.between(0, registers - needs)
        : Math.min(registers - 1, registers - needs + r.between(0, 1)),
      ra,
      imm: (offset & 0x1fff) | ((several ? words - 1 : r.between(0, 7)) << 13),
    });
  };
  while (code.length < length) {
    const kind = r.between(0, 99);
    if (kind < 50) put({ code: r.pick(plain).code, rd: any(), ra: any(), imm: r.pick([any(), r.between(0, 0xffff)]) });
    else if (kind < 65) {
      const near = code.length + r.between(-6, 8);
      put({ code: r.pick(jumping).code, rd: any(), ra: any(), imm: at + Math.min(length, Math.max(0, near)) });
    } else if (kind < 92) access();
    else if (kind < 96) put({ code: operation.yield });
    else if (kind < 97 && r.chance(0.5))
      put({ code: r.pick([operation.fail, 0x00, 0x46, 0x35, 0xff, r.between(0, 255)]) });
    else if (r.chance(0.3)) put({ code: operation.reply, rd: any(), imm: r.between(0, 9) });
  }
  put({ code: operation.base, rd: 15 });
  put({ code: operation.store, ra: 15, imm: (7 << 13) | (8 * r.between(0, areaWords - 8)) });
  put({ code: operation.store, rd: 8, ra: 15, imm: (7 << 13) | (8 * r.between(0, areaWords - 8)) });
  const count = r.between(0, mostWords);
  put({ code: operation.reply, rd: r.between(0, registers - count), imm: count });
  return code;
}

/** Number of the program that loops as often as its first argument says, without a jump behind it and with one. */
export const countedPrograms = [14, 15] as const;
function counted(at: number, jumps: number): number[] {
  const whole = (p: Partial<Parts> & { readonly code: number }): number => join({ rd: 0, ra: 0, imm: 0, ...p });
  return [
    whole({ code: operation.subi, imm: 1 }),
    whole({ code: operation.bne, ra: 7, imm: at }),
    ...Array.from({ length: jumps }, (_, i) => whole({ code: operation.jmp, imm: at + 3 + i })),
    whole({ code: operation.reply, imm: 1 }),
  ];
}

/** An image of `programs` random programs and the counted ones. */
export function randomImage(r: Random, programs: number, areaWords: number): number[] {
  const image = Array.from({ length: mostPrograms }, () => 0);
  for (let i = 0; i < programs; i++) {
    image[i] = join({ code: operation.jmp, rd: 0, ra: 0, imm: image.length });
    image.push(...randomProgram(r, image.length, areaWords));
  }
  countedPrograms.forEach((program, i) => {
    image[program] = join({ code: operation.jmp, rd: 0, ra: 0, imm: image.length });
    image.push(...counted(image.length, i));
  });
  return image;
}
