/** Registers for programs in TypeScript. */
import {
  extractField,
  type FieldNames,
  insertField,
  type Register,
  RegisterError,
  type RegisterField,
  type RegisterMap,
} from "./register.ts";

/** Whole words by byte address: over a simulated bus, a device file, a debugger ... */
export interface RegisterBus {
  read(address: number): Promise<number>;
  write(address: number, data: number): Promise<void>;
}

/** Reads and writes of a map's fields by their names. */
export interface RegisterDriver<R extends Register> {
  /** A field's value. */
  read(field: FieldNames<R>): Promise<number>;
  /**
   * Changes `rw` fields, gives pulses and clears events; the other `rw` fields of their registers stay (they are read
   * first where there are some).
   */
  write(values: { readonly [N in FieldNames<R>]?: number }): Promise<void>;
}

/**
 * A driver of a register map over a bus, its fields known to the compiler. One access at a time: two writes to one
 * register under way together could undo each other.
 * @throws RegisterError (from `write`) for a value that does not fit its field, or a field that only reads.
 */
export function registerDriver<R extends Register>(map: RegisterMap<R>, bus: RegisterBus): RegisterDriver<R> {
  const places = new Map<string, { readonly register: Register; readonly field: RegisterField }>();
  for (const register of map.registers)
    for (const field of register.fields) places.set(field.name, { register, field });
  const place = (name: string): { readonly register: Register; readonly field: RegisterField } => {
    const found = places.get(name);
    if (found === undefined)
      throw new RegisterError(`${map.name} has no field ${name}; it has ${[...places.keys()].join(", ")}`);
    return found;
  };
  return {
    read: async name => {
      const { register, field } = place(name);
      return extractField(field, await bus.read(register.address));
    },
    write: async values => {
      const byRegister = new Map<Register, { readonly field: RegisterField; readonly value: number }[]>();
      for (const [name, value] of Object.entries(values) as [string, number][]) {
        const { register, field } = place(name);
        if (field.kind === "constant" || field.kind === "live")
          throw new RegisterError(`${map.name}: field ${name} only reads`);
        if (!Number.isInteger(value) || value < 0 || value >= 2 ** field.width)
          throw new RegisterError(
            `${map.name}: ${value} does not fit field ${name}; it takes 0 to ${2 ** field.width - 1}`,
          );
        byRegister.set(register, [...(byRegister.get(register) ?? []), { field, value }]);
      }
      for (const [register, given] of byRegister) {
        const others = register.fields.filter(f => f.kind === "rw" && !given.some(g => g.field === f));
        const before = others.length === 0 ? 0 : await bus.read(register.address);
        // Events and pulses that are not meant are written as 0: nothing happens.
        const start = others.reduce((word, f) => insertField(f, word, extractField(f, before)), 0);
        await bus.write(
          register.address,
          given.reduce((word, g) => insertField(g.field, word, g.value), start),
        );
      }
    },
  };
}
