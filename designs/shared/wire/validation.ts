import * as z from "zod";
import type { FieldSet, Layout, Values } from "./layout.ts";

/** A whole number given as a number, a bigint, or text in decimal or 0x hexadecimal. */
const wholeNumber = z
  .union([
    z.number().int(),
    z.bigint(),
    z.string().regex(/^(0x[0-9a-fA-F]+|\d+)$/, "must be a whole number in decimal or 0x hexadecimal"),
  ])
  .transform(v => BigInt(v));

/**
 * The zod schema of a layout's values, for data that a user gives (setup files, command line). Numbers may be decimal
 * or 0x text, raw fields are text or hexadecimal after `hex:`; each is checked against its field's width, and fields
 * may be left out (0).
 */
export function valuesSchema<F extends FieldSet>(l: Layout<F>): z.ZodType<Partial<Values<F>>> {
  const shape: Record<string, z.ZodType> = {};
  for (const [name, field] of Object.entries(l.fields)) {
    const bytes = field.bits / 8;
    shape[name] = (
      field.kind === "raw"
        ? z
            .string()
            .transform(
              t => new Uint8Array(t.startsWith("hex:") ? Buffer.from(t.slice(4), "hex") : Buffer.from(t, "utf8")),
            )
            .refine(b => b.length <= bytes, { message: `${name} holds ${bytes} bytes` })
        : wholeNumber
            .refine(v => v >= 0n && v >> BigInt(field.bits) === 0n, { message: `${name} holds ${field.bits} bits` })
            .transform(v => (field.kind === "big" ? v : Number(v)))
    ).optional();
  }
  return z.strictObject(shape) as z.ZodType<Partial<Values<F>>>;
}
