import * as z from "zod";
import { UsageError } from "../../shared/errors/index.ts";

const number = z
  .union([z.string().regex(/^(?:0x[\da-f]+|\d+)$/i, "is no number"), z.number().int().nonnegative()])
  .transform(v => BigInt(v));

/** What a run of a program begins with, and what it is asked. Numbers may be text, as `"0x1000"`. */
const schema = z.strictObject({
  /** The address that BASE gives, and bytes that are mapped from there on. */
  base: number,
  bytes: z.number().int().positive(),
  /** Words from the base on; the others are 0. */
  words: z.array(number).default([]),
  /** Requests, one after the other: the program's name, and its arguments. */
  requests: z.array(z.strictObject({ program: z.string(), words: z.array(number).max(8).default([]) })).min(1),
});
export type Setup = z.output<typeof schema>;

/** @throws UsageError in one sentence for a text that is no setup */
export function parseSetup(text: string, file: string): Setup {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch (e) {
    throw new UsageError(`${file} is no JSON: ${e instanceof Error ? e.message : String(e)}`);
  }
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  throw new UsageError(`${file}: ${result.error.issues.map(i => `${i.path.join(".")}: ${i.message}`).join("; ")}`);
}
