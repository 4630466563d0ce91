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

const plain = instructionForms.filter(f => f.code < operation.beq),
  jumping = instructionForms.filter(f => f.code >= operation.beq && f.code <= operation.jmp),
  accesses = instructionForms.filter(f => f.code >= operation.load && f.code <= operation.put);

/** Instructions of a program that ends with all of its registers stored and some of them replied. */
function randomProgram(r: Random, at: number, areaWords: number): number[] {
  const length = r.between(5, 40),
    code: number[] = [];
  const put = (p: Partial<Parts> & { readonly code: number }): number => code.push(join({ rd: 0, ra: 0, imm: 0, ...p }));
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
      rd: r.chance(0.97) ? r.between(0, registers - needs) : any(),
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
    else if (kind < 97) put({ code: r.pick([operation.fail, 0x00, 0x46, 0x35, 0xff, r.between(0, 255)]) });
    else put({ code: operation.reply, rd: any(), imm: r.between(0, 9) });
  }
  put({ code: operation.base, rd: 15 });
  put({ code: operation.store, ra: 15, imm: (7 << 13) | (8 * r.between(0, areaWords - 8)) });
  put({ code: operation.store, rd: 8, ra: 15, imm: (7 << 13) | (8 * r.between(0, areaWords - 8)) });
  const count = r.between(0, mostWords);
  put({ code: operation.reply, rd: r.between(0, registers - count), imm: count });
  return code;
}

/** An image of `programs` random programs. */
export function randomImage(r: Random, programs: number, areaWords: number): number[] {
  const image = Array.from({ length: mostPrograms }, () => 0);
  for (let i = 0; i < programs; i++) {
    image[i] = join({ code: operation.jmp, rd: 0, ra: 0, imm: image.length });
    image.push(...randomProgram(r, image.length, areaWords));
  }
  return image;
}
