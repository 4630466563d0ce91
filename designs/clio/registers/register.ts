/** Registers as data: the RTL, the slow path's driver, the C header and the reference page all read it. Addresses are bytes, words 32 bits. */

/**
 * `constant`: fixed by the build (its value is a parameter of the RTL). `live`: what the hardware shows now. `rw`: kept, its value at reset is a parameter
 * of the RTL.
 */
export type FieldKind = "constant" | "live" | "rw";

export interface RegisterField {
  readonly name: string; readonly lsb: number; readonly width: number; readonly kind: FieldKind; readonly doc: string;
}
export interface Register { readonly name: string; readonly address: number; readonly doc: string; readonly fields: readonly RegisterField[] }

/** A register that lets the compiler know its fields' names. */
export interface NamedRegister<N extends string> extends Register { readonly fieldName?: N }
type FieldSpec = readonly [lsb: number, width: number, kind: FieldKind, doc: string];

/** What a register map refuses: overlapping fields or registers, a name used twice. */
export class RegisterError extends Error { override readonly name = "RegisterError"; }

/**
 * A register at a byte address, its fields by name.
 * @throws RegisterError when the address is not a word's or fields overlap.
 */
export function register<const F extends { readonly [name: string]: FieldSpec }>(address: number, name: string, doc: string, fields: F): NamedRegister<keyof F & string> {
  if (address % 4 !== 0) throw new RegisterError(`register ${name}: address 0x${address.toString(16)} is not a multiple of 4; the nearest is 0x${(address - address % 4).toString(16)}`);
  let used = 0n;
  const list = Object.entries(fields).map(([field, [lsb, width, kind, what]]): RegisterField => {
    const mask = ((1n << BigInt(width)) - 1n) << BigInt(lsb);
    if (lsb + width > 32) throw new RegisterError(`register ${name}: field ${field} ends at bit ${lsb + width - 1}; the last bit is 31`);
    if ((used & mask) !== 0n) throw new RegisterError(`register ${name}: field ${field} lies over another one; move it to free bits`);
    used |= mask;
    return { name: field, lsb, width, kind, doc: what };
  });
  return { name, address, doc, fields: list };
}

/** Whether a register can be written: it has a field that is kept. */
export const isWritable = (r: Register): boolean => r.fields.some(f => f.kind === "rw");

/** A field's value from its register's word, and a word with one field replaced. */
export const extractField = (f: RegisterField, word: number): number => Number((BigInt(word >>> 0) >> BigInt(f.lsb)) & ((1n << BigInt(f.width)) - 1n));
export function insertField(f: RegisterField, word: number, value: number): number {
  const mask = (1n << BigInt(f.width)) - 1n;
  return Number((BigInt(word >>> 0) & ~(mask << BigInt(f.lsb))) | ((BigInt(value) & mask) << BigInt(f.lsb)));
}
