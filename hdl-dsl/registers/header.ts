/** Registers for C. */
import { hexAddress, isWritable, type Register, type RegisterField, type RegisterMap } from "./register.ts";

/** `outOfMemory` as macros are written: `OUT_OF_MEMORY`. */
export const macroName = (name: string): string => name.replace(/([a-z0-9])([A-Z])/g, "$1_$2").toUpperCase();

/** Shift and mask of a field; the mask is not shifted. */
export const fieldMacros = (prefix: string, f: RegisterField): readonly string[] => [
  `#define ${prefix}_${macroName(f.name)}_SHIFT ${f.lsb}`,
  `#define ${prefix}_${macroName(f.name)}_MASK 0x${(2 ** f.width - 1).toString(16)}u`,
];

/** Byte addresses of registers, and their fields. */
export const registerMacros = (prefix: string, registers: readonly Register[]): readonly string[] =>
  registers.flatMap(r => [
    ``,
    `/* ${r.doc}${isWritable(r) ? "" : " (read only)"} */`,
    `#define ${prefix}_REG_${macroName(r.name)} ${hexAddress(r.address)}`,
    ...r.fields.flatMap(f => fieldMacros(prefix, f)),
  ]);

/** A header: `lines` within its guard. @param from what it is generated from */
export const headerFile = (
  guard: string,
  from: string,
  lines: string,
): string => `/* Generated from ${from}. Do not edit. */
#ifndef ${guard}
#define ${guard}
${lines}
#endif
`;

/**
 * The C header of a register map: byte addresses, shifts and masks, each name beginning with the map's. @param from
 * what it is generated from
 */
export function registerHeader(map: RegisterMap, from: string): string {
  const prefix = macroName(map.name);
  return headerFile(`${prefix}_REGISTERS_H`, from, `${registerMacros(prefix, map.registers).join("\n")}\n`);
}
