import { counterNames, counters } from "../config/index.ts";
import { counterAddress, counterBits, registerMap } from "./map.ts";
import { matActions, matBase, matEntryFields, matWords } from "./match_action.ts";
import { isWritable, type RegisterField } from "./register.ts";

const hex = (n: number): string => `0x${n.toString(16).padStart(3, "0")}`;
const bitsOf = (f: RegisterField): string => (f.width === 1 ? String(f.lsb) : `${f.lsb + f.width - 1}:${f.lsb}`);
const accessOf = (f: RegisterField): string => ({ constant: "read, fixed by the build", live: "read", rw: "read, write" })[f.kind];

/** The manual's page of the registers. */
export function registerReference(): string {
  const rows = registerMap.flatMap(r => r.fields.map((f, i) => `| ${i === 0 ? hex(r.address) : ""} | ${i === 0 ? `${r.name}: ${r.doc}` : ""} | ${bitsOf(f)} | ${f.name} | ${accessOf(f)} | ${f.doc} |`));
  const entry = Object.values(matEntryFields).map(f => `| ${bitsOf(f)} | ${f.name} | ${f.doc} |`);
  const counts = counterNames.map((n, i) => `| ${hex(counterAddress(n))} | ${n} | ${counters[i]?.doc ?? ""} |`);
  return `<!-- Generated from designs/clio/registers. Do not edit. -->
# Registers of the memory node

AXI4-Lite, 32 bits; addresses are bytes, the two low bits do not count. Reading where nothing is gives 0 and DECERR, writing there DECERR, writing what only reads SLVERR.

| address | register | bits | field | access | meaning |
|---|---|---|---|---|---|
${rows.join("\n")}

## Match-and-action table: ${hex(matBase)} to ${hex(matBase + 4 * matWords - 1)}
The entry of opcode n is the word at ${hex(matBase)} + 4 n; both its low bytes are written at once.

| bits | field | meaning |
|---|---|---|
${entry.join("\n")}

## Counters
${counterBits} bits each: the low word at the address, the high word behind it. Reading a low word keeps its high word for the next read of a high word.

| address | counter | counts |
|---|---|---|
${counts.join("\n")}
`;
}

const macro = (name: string): string => name.replace(/([a-z0-9])([A-Z])/g, "$1_$2").toUpperCase();

/** The C header of the registers, for drivers: byte addresses, and shift and mask of every field. */
export function registerHeader(): string {
  const field = (prefix: string, f: RegisterField): string[] => [
    `#define CLIO_${prefix}${macro(f.name)}_SHIFT ${f.lsb}`, `#define CLIO_${prefix}${macro(f.name)}_MASK 0x${(2 ** f.width - 1).toString(16)}u`,
  ];
  const lines = registerMap.flatMap(r => [``, `/* ${r.doc}${isWritable(r) ? "" : " (read only)"} */`, `#define CLIO_REG_${macro(r.name)} ${hex(r.address)}`, ...r.fields.flatMap(f => field("", f))]);
  return `/* Generated from designs/clio/registers. Do not edit. */
#ifndef CLIO_REGISTERS_H
#define CLIO_REGISTERS_H
${lines.join("\n")}

/* match-and-action table: the entry of an opcode, and its fields */
#define CLIO_MAT(opcode) (${hex(matBase)} + 4 * (opcode))
${matActions.map((n, i) => `#define CLIO_MAT_${macro(n)} ${i}`).join("\n")}
${Object.values(matEntryFields).flatMap(f => field("MAT_", f)).join("\n")}

/* counters: low word; the high word follows */
${counterNames.map(n => `#define CLIO_COUNTER_${macro(n)} ${hex(counterAddress(n))}`).join("\n")}

#endif
`;
}
