/**
 * Records: what blocks hand on inside a chip. Like a layout one list of names and widths gives the hardware's struct,
 * a codec and the reference page; unlike a layout its fields need not fill whole bytes.
 */
import { PacketError } from "./codec.ts";
import { LayoutError, type NumberField } from "./layout.ts";

/** Fields of a record: numbers of 1 to 32 bits. */
export interface RecordFields {
  readonly [name: string]: NumberField;
}
export interface RecordLayout<F extends RecordFields = RecordFields> {
  readonly name: string;
  readonly title: string;
  readonly fields: F;
  /** Bits in all. */
  readonly bits: number;
  /** The lowest bit of each field: the first field has the lowest bits, as in a struct of the language. */
  readonly at: { readonly [K in keyof F]: number };
}
/** The values of a record's fields. */
export type RecordValues<F extends RecordFields> = { -readonly [K in keyof F]: number };

/** Fields side by side, the first lowest. @throws LayoutError when there are none */
export function record<const F extends RecordFields>(name: string, title: string, fields: F): RecordLayout<F> {
  let bits = 0;
  const at: Record<string, number> = {};
  for (const [field, { bits: width }] of Object.entries(fields)) {
    at[field] = bits;
    bits += width;
  }
  if (bits === 0) throw new LayoutError(`record ${name}: there are no fields; give one at least`);
  return { name, title, fields, bits, at: at as RecordLayout<F>["at"] };
}

/** A record as one number; fields that are left out are 0. @throws PacketError when a value does not fit its field */
export function packRecord<F extends RecordFields>(r: RecordLayout<F>, values: Partial<RecordValues<F>>): bigint {
  let all = 0n;
  for (const [name, value] of Object.entries(values) as [string, number][]) {
    const field = r.fields[name],
      at = r.at[name];
    if (field === undefined || at === undefined)
      throw new PacketError(`${r.name}: there is no field ${name}; the fields are ${Object.keys(r.fields).join(", ")}`);
    if (!Number.isSafeInteger(value) || value < 0 || value >= 2 ** field.bits)
      throw new PacketError(`${r.name}: ${name} holds ${field.bits} bits, ${value} does not fit`);
    all |= BigInt(value) << BigInt(at);
  }
  return all;
}

/** The fields of a record that is given as one number. @throws PacketError when the number has more bits */
export function unpackRecord<F extends RecordFields>(r: RecordLayout<F>, packed: bigint): RecordValues<F> {
  if (packed < 0n || packed >> BigInt(r.bits) !== 0n)
    throw new PacketError(`${r.name}: has ${r.bits} bits, 0x${packed.toString(16)} does not fit`);
  return Object.fromEntries(
    Object.entries(r.fields).map(([name, f]) => [
      name,
      Number(BigInt.asUintN(f.bits, packed >> BigInt(r.at[name] ?? 0))),
    ]),
  ) as RecordValues<F>;
}
