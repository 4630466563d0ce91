/**
 * Registers as data: the RTL, the drivers, the C header and the reference page all read it. Addresses are bytes,
 * words 32 bits.
 */

/**
 * `constant`: fixed by the build (its value is a parameter of the RTL). `live`: the hardware's present value. `rw`:
 * kept, its value at reset is a parameter of the RTL. `event`: each bit is set by the hardware and stays until software
 * writes 1 to it. `pulse`: a 1 that is written shows to the hardware for one cycle; reads as 0.
 */
export type FieldKind = "constant" | "live" | "rw" | "event" | "pulse";

/** A field of a register: where it lies, what it is, and what it means. */
export interface RegisterField {
  readonly name: string;
  readonly lsb: number;
  readonly width: number;
  readonly kind: FieldKind;
  readonly doc: string;
}
/** A register of 32 bits: its address, name, meaning and fields. */
export interface Register {
  readonly name: string;
  readonly address: number;
  readonly doc: string;
  readonly fields: readonly RegisterField[];
}

type FieldSpec = readonly [lsb: number, width: number, kind: FieldKind, doc: string];
/** The fields of a register as they are written down: `name: [lowest bit, width, kind, meaning]`. */
export interface FieldSpecs {
  readonly [name: string]: FieldSpec;
}
/** A register that lets the compiler know its fields; `spec` is for the compiler alone. */
export interface NamedRegister<F extends FieldSpecs> extends Register {
  readonly spec?: F;
}
/** The names of the fields of some registers. */
export type FieldNames<R> = R extends NamedRegister<infer F> ? keyof F & string : never;

/** Fault that a register map refuses: overlapping fields or registers, a name used twice, a value that does not fit. */
export class RegisterError extends Error {
  override readonly name = "RegisterError";
}

/** An address as messages, headers and pages show it. */
export const hexAddress = (n: number): string => `0x${n.toString(16).padStart(3, "0")}`;

/**
 * A register at a byte address, its fields by name.
 * @throws RegisterError when the address is not a word's or fields overlap.
 */
export function register<const F extends FieldSpecs>(
  address: number,
  name: string,
  doc: string,
  fields: F,
): NamedRegister<F> {
  if (address % 4 !== 0)
    throw new RegisterError(
      `register ${name}: address 0x${address.toString(16)} is not a multiple of 4; ` +
        `the nearest is 0x${(address - (address % 4)).toString(16)}`,
    );
  let used = 0n;
  const list = Object.entries(fields).map(([field, [lsb, width, kind, what]]): RegisterField => {
    const mask = ((1n << BigInt(width)) - 1n) << BigInt(lsb);
    if (lsb + width > 32)
      throw new RegisterError(`register ${name}: field ${field} ends at bit ${lsb + width - 1}; the last bit is 31`);
    if ((used & mask) !== 0n)
      throw new RegisterError(`register ${name}: field ${field} lies over another one; move it to free bits`);
    used |= mask;
    return { name: field, lsb, width, kind, doc: what };
  });
  return { name, address, doc, fields: list };
}

const written: ReadonlySet<FieldKind> = new Set<FieldKind>(["rw", "event", "pulse"]);
/** Whether a register can be written: it has a field that software changes. */
export const isWritable = (r: Register): boolean => r.fields.some(f => written.has(f.kind));

/** A field's value from its register's word, and a word with one field replaced. */
export const extractField = (f: RegisterField, word: number): number =>
  Number((BigInt(word >>> 0) >> BigInt(f.lsb)) & ((1n << BigInt(f.width)) - 1n));
/** A register's word with a field's value in its place; the other bits stay. */
export function insertField(f: RegisterField, word: number, value: number): number {
  const mask = (1n << BigInt(f.width)) - 1n;
  return Number((BigInt(word >>> 0) & ~(mask << BigInt(f.lsb))) | ((BigInt(value) & mask) << BigInt(f.lsb)));
}

/** Registers of one unit under one name. */
export interface RegisterMap<R extends Register = Register> {
  /** As modules are named: `Timer`. */
  readonly name: string;
  readonly doc: string;
  /** Bits of a byte address. */
  readonly addressBits: number;
  readonly registers: readonly R[];
}

/**
 * A register map, looked through as a whole.
 * @throws RegisterError when two registers share an address or a name, two fields a name, or a register lies past
 * the last address.
 */
export function registerMap<const R extends Register>(map: RegisterMap<R>): RegisterMap<R> {
  const addresses = new Map<number, string>(),
    registers = new Set<string>(),
    fields = new Set<string>();
  for (const r of map.registers) {
    const other = addresses.get(r.address);
    if (other !== undefined)
      throw new RegisterError(
        `${map.name}: registers ${other} and ${r.name} share address ${hexAddress(r.address)}; move one`,
      );
    addresses.set(r.address, r.name);
    if (registers.has(r.name)) throw new RegisterError(`${map.name}: two registers are named ${r.name}; rename one`);
    registers.add(r.name);
    if (r.address >= 2 ** map.addressBits)
      throw new RegisterError(
        `${map.name}: register ${r.name} at ${hexAddress(r.address)} does not fit ${map.addressBits} address bits; ` +
          "raise addressBits or move it",
      );
    for (const f of r.fields) {
      if (fields.has(f.name)) throw new RegisterError(`${map.name}: two fields are named ${f.name}; rename one`);
      fields.add(f.name);
    }
  }
  return map;
}
