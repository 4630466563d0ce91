import * as z from "zod";
import { formatBytes, parseBytes, parseNanoseconds } from "./units.ts";

/** The legal value nearest to the requested one, by ratio (sizes are powers of two). */
function nearest(legal: readonly number[], asked: number): number {
  const distance = (v: number): number => Math.abs(Math.log2(v) - Math.log2(Math.max(asked, 1e-9)));
  return legal.reduce((best, v) => (distance(v) < distance(best) ? v : best));
}
const listed = (values: readonly string[]): string =>
  values.length < 2 ? values.join("") : `${values.slice(0, -1).join(", ")} or ${values.at(-1) ?? ""}`;
/** Text from the command line or a number from a file, as a number. */
const numeric = (read: (text: string) => number | undefined) =>
  z.union([z.number(), z.string()]).transform(v => (typeof v === "number" ? v : (read(v) ?? Number.NaN)));
const plain = (text: string): number | undefined =>
  /^(0x[0-9a-f]+|\d+)$/i.test(text.trim()) ? Number(text) : undefined;

/** A whole number out of a list. `show` prints a value for messages. */
export function oneOf(legal: readonly number[], read = plain, show: (n: number) => string = String) {
  return numeric(read).superRefine((v, context) => {
    if (legal.includes(v)) return;
    const near = Number.isNaN(v) ? "" : `; the nearest is ${show(nearest(legal, v))}`;
    context.addIssue({ code: "custom", message: `must be ${listed(legal.map(show))}${near}` });
  });
}
/** One of a few words; the nearest is the one that shares most letters at the start. */
export function word<const W extends readonly [string, ...string[]]>(words: W) {
  return z.custom<W[number]>(v => words.includes(v as string), {
    error: issue => {
      const asked = String(issue.input).toLowerCase(),
        alike = (w: string): number => Array.from(w).findIndex((c, i) => asked[i] !== c) >>> 0;
      const near = words.reduce((best, w) => (alike(w) > alike(best) ? w : best));
      return `must be ${listed(words)}; the nearest is ${near}`;
    },
  });
}
/**
 * Some of a few words, each at most once, with commas between: `none`, or `all` of them. As text, so that equal
 * choices are equal.
 */
export function words(known: readonly string[]) {
  const chosen = (v: string): readonly string[] =>
    v === "none" ? [] : v === "all" ? known : v.split(",").map(w => w.trim());
  return z.string().transform((v, context): string => {
    const list = chosen(v.trim()),
      wrong = list.find((w, i) => !known.includes(w) || list.indexOf(w) !== i);
    if (wrong === undefined) return list.length === 0 ? "none" : list.join(",");
    context.addIssue({
      code: "custom",
      message: known.includes(wrong)
        ? `has ${wrong} twice; name each once`
        : `must be none, all, or a list of ${listed(known)} with commas between; there is no "${wrong}"`,
    });
    return z.NEVER;
  });
}
/** A power of two in a range, both ends included. */
export function powerOfTwo(least: number, most: number, read = plain, show: (n: number) => string = String) {
  const legal: number[] = [];
  for (let v = least; v <= most; v *= 2) legal.push(v);
  return numeric(read).superRefine((v, context) => {
    if (legal.includes(v)) return;
    const near = Number.isNaN(v) ? "" : `; the nearest is ${show(nearest(legal, v))}`;
    context.addIssue({ code: "custom", message: `must be a power of two from ${show(least)} to ${show(most)}${near}` });
  });
}
/** A whole number in a range, both ends included. */
export function range(least: number, most: number, unit = "", read = plain) {
  return numeric(read).superRefine((v, context) => {
    if (Number.isInteger(v) && v >= least && v <= most) return;
    const near = Number.isNaN(v) ? "" : `; the nearest is ${Math.min(most, Math.max(least, Math.round(v)))}`;
    context.addIssue({ code: "custom", message: `must be a whole number from ${least} to ${most}${unit}${near}` });
  });
}
/** Sizes in bytes. */
export const bytesOneOf = (legal: readonly number[]) => oneOf(legal, parseBytes, formatBytes);
export const bytesPowerOfTwo = (least: number, most: number) => powerOfTwo(least, most, parseBytes, formatBytes);
/** Nanoseconds. */
export const nanoseconds = (least: number, most: number) => range(least, most, " ns", parseNanoseconds);

/** Text that `read` understands (its error is the message), or the value itself. */
export function textOr<T>(value: z.ZodType<T>, read: (text: string) => T) {
  return z.union([value, z.string()]).transform((v, context): T => {
    if (typeof v !== "string") return v;
    try {
      return read(v);
    } catch (e) {
      context.addIssue({ code: "custom", message: (e as Error).message });
      return z.NEVER;
    }
  });
}
/** A switch, as people write one. */
export const flag = z
  .union([z.boolean(), z.enum(["true", "false", "1", "0", "on", "off", "yes", "no"])], {
    error: "must be true or false",
  })
  .transform(v => v === true || v === "true" || v === "1" || v === "on" || v === "yes");
