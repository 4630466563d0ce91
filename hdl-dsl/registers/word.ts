/** Words and fields in hardware. */
import type { UInt } from "../types/value.ts";
import { mux } from "../build/statements.ts";
import { cat, constant } from "../build/value.ts";
import type { RegisterField } from "./register.ts";

/** A register's word from its fields; bits between them are 0. */
export function wordOf<F extends RegisterField>(fields: readonly F[], value: (f: F) => UInt): UInt {
  const parts: UInt[] = [];
  let at = 0;
  for (const f of [...fields].sort((a, b) => a.lsb - b.lsb)) {
    if (f.lsb > at) parts.unshift(constant(0, f.lsb - at));
    parts.unshift(value(f));
    at = f.lsb + f.width;
  }
  if (at < 32) parts.unshift(constant(0, 32 - at));
  return cat(...parts);
}

/**
 * A field's bits of a written word where their byte is strobed, `otherwise`'s (same width as the field) where
 * it is not.
 */
export function strobed(f: RegisterField, data: UInt, strb: UInt, otherwise: UInt): UInt {
  return cat(
    ...bytesOf(f).map(x => mux(strb.bit(x.byte), data.bits(x.lsb, x.width), otherwise.bits(x.lsb - f.lsb, x.width))),
  );
}

/** The parts of a field that lie in one byte of the word each, highest first. */
function bytesOf(f: RegisterField): { readonly byte: number; readonly lsb: number; readonly width: number }[] {
  const parts: { byte: number; lsb: number; width: number }[] = [];
  for (let lsb = f.lsb; lsb < f.lsb + f.width;) {
    const width = Math.min(8 - (lsb % 8), f.lsb + f.width - lsb);
    parts.unshift({ byte: lsb >> 3, lsb, width });
    lsb += width;
  }
  return parts;
}
