import {
  busParagraph,
  fieldBits,
  fieldMacros,
  headerFile,
  hexAddress as hex,
  macroName as macro,
  registerMacros,
  registerTable,
} from "../../../hdl-dsl/index.ts";
import { counterNames, counters } from "../config/index.ts";
import { gbnBase, gbnMap } from "./go-back-n.ts";
import { counterAddress, counterBits, registerMap } from "./map.ts";
import { matActions, matBase, matEntryFields, matWords } from "./match-action.ts";

/** Source that the header and the page are generated from. */
const origin = "designs/clio/registers";

/** The manual's page of the registers. */
export function registerReference(): string {
  const entry = Object.values(matEntryFields).map(f => `| ${fieldBits(f)} | ${f.name} | ${f.doc} |`);
  const counts = counterNames.map((n, i) => `| ${hex(counterAddress(n))} | ${n} | ${counters[i]?.doc ?? ""} |`);
  return `<!-- Generated from ${origin}. Do not edit. -->
# Registers of the memory node

${busParagraph}

${registerTable(registerMap)}

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

## Go-Back-N: from ${hex(gbnBase)}
Only in builds with transport = gbn; addresses from ${hex(gbnBase)}. Counters are 32 bits and wrap.

${registerTable(gbnMap.registers)}
`;
}

/** The C header of the registers, for drivers: byte addresses, and shift and mask of every field. */
export function registerHeader(): string {
  return headerFile(
    "CLIO_REGISTERS_H",
    origin,
    `${registerMacros("CLIO", registerMap).join("\n")}

/* match-and-action table: the entry of an opcode, and its fields */
#define CLIO_MAT(opcode) (${hex(matBase)} + 4 * (opcode))
${matActions.map((n, i) => `#define CLIO_MAT_${macro(n)} ${i}`).join("\n")}
${Object.values(matEntryFields)
  .flatMap(f => fieldMacros("CLIO_MAT", f))
  .join("\n")}

/* Go-Back-N, in builds with transport = gbn: addresses from CLIO_GBN_BASE */
#define CLIO_GBN_BASE ${hex(gbnBase)}
${registerMacros("CLIO", gbnMap.registers).join("\n")}

/* counters: low word; the high word follows */
${counterNames.map(n => `#define CLIO_COUNTER_${macro(n)} ${hex(counterAddress(n))}`).join("\n")}
`,
  );
}
