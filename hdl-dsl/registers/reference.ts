/** Registers for readers. */
import { type FieldKind, hexAddress, type Register, type RegisterField, type RegisterMap } from "./register.ts";

/** `3` or `7:4`. */
export const fieldBits = (f: RegisterField): string =>
  f.width === 1 ? String(f.lsb) : `${f.lsb + f.width - 1}:${f.lsb}`;
const access: Readonly<Record<FieldKind, string>> = {
  constant: "read, fixed by the build",
  live: "read",
  rw: "read, write",
  event: "read; set by the hardware, cleared by writing 1",
  pulse: "write 1 to act; reads 0",
};

/** A Markdown table of registers, a row for each field. */
export function registerTable(registers: readonly Register[]): string {
  const rows = registers.flatMap(r =>
    r.fields.map(
      (f, i) =>
        `| ${i === 0 ? hexAddress(r.address) : ""} | ${i === 0 ? `${r.name}: ${r.doc}` : ""} ` +
        `| ${fieldBits(f)} | ${f.name} | ${access[f.kind]} | ${f.doc} |`,
    ),
  );
  return `| address | register | bits | field | access | meaning |\n|---|---|---|---|---|---|\n${rows.join("\n")}`;
}

/** How all register maps answer on the bus. */
export const busParagraph =
  "AXI4-Lite, 32 bits; addresses are bytes, the two low bits do not count. " +
  "Reading where nothing is gives 0 and DECERR, writing there DECERR, writing what only reads SLVERR.";

/** The reference page of a register map, Markdown. @param from what it is generated from */
export function registerPage(map: RegisterMap, from: string): string {
  return `<!-- Generated from ${from}. Do not edit. -->
# Registers of ${map.name}

${map.doc}

${busParagraph}

${registerTable(map.registers)}
`;
}
