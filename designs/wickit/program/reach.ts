import { formOf, mostPrograms, operation, partsOf } from "../wire/index.ts";

const ends: ReadonlySet<number> = new Set([operation.reply, operation.fail]);

/** Instructions of an image that no program reaches, and those from which a program runs past the image's end. */
export function unreachable(image: readonly number[]): readonly { readonly at: number; readonly what: string }[] {
  const seen = new Set<number>(),
    open = Array.from({ length: mostPrograms }, (_, i) => i).filter(i => image[i] !== 0),
    found: { at: number; what: string }[] = [];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (seen.has(at)) continue;
    seen.add(at);
    const { code, imm } = partsOf(image[at] ?? 0),
      targets = formOf(code)?.operands.includes("target") === true ? [imm] : [];
    const next = [...targets, ...(code === operation.jmp || ends.has(code) ? [] : [at + 1])];
    for (const n of next) {
      if (n < image.length) open.push(n);
      else found.push({ at, what: "the program runs past its end" });
    }
  }
  for (let at = mostPrograms; at < image.length; at++)
    if (!seen.has(at)) found.push({ at, what: "nothing reaches this" });
  return found.sort((a, b) => a.at - b.at);
}
