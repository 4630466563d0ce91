import { busParagraph, hexAddress as hex, registerTable } from "../../../hdl-dsl/index.ts";
import { type Table, tables } from "../wire/index.ts";
import { snicMap } from "./map.ts";

/** Source that the page is generated from. */
const origin = "designs/supernic/registers";

/** Names of counters by block, in the order of their numbers. */
export interface CounterNames {
  readonly port: readonly string[];
  readonly loop: readonly string[];
  readonly middle: readonly string[];
}
const numbered = (names: readonly string[]): string => names.map((n, i) => `${i} ${n}`).join(", ");
const tableRow = ([name, t]: readonly [string, Table]): string =>
  `| ${t.id} | ${name} | ${t.entries} | ${t.title} | ${Object.entries(t.fields)
    .map(([field, { bits }]) => `${field} ${bits}`)
    .join(", ")} |`;

/** The manual's page of the registers. @param counters as the hardware numbers them */
export function registerReference(counters: CounterNames): string {
  return `<!-- Generated from ${origin}. Do not edit. -->
# SuperNIC: registers

${busParagraph}

${registerTable(snicMap.registers)}

## Tables

An entry is written as a whole: its value into \`value0\` and on, the table and its ports into \`table\`, the place into \`tableIndex\`, then 1 into \`tableWrite\`.
The driver ([driver.ts](../../designs/supernic/registers/driver.ts)) leaves words out that stay as they were. Tables that each port has are written at the ports of \`tablePorts\`.
Fields stand one behind the other, the first lowest, with their bits.

| number | table | entries | what it says | fields |
|---|---|---|---|---|
${Object.entries<Table>(tables).map(tableRow).join("\n")}

## Counters

\`counterAt\` chooses one: 256 times the block, and the number in it. \`countLow\` and \`countHigh\` have its 48 bits, a few cycles later. Counts wrap.
Blocks are the ports from 0 on, then the loop port, then the middle.

- **A port**: ${numbered(counters.port)}.
- **The loop port**: ${numbered(counters.loop)}.
- **The middle**: ${numbered(counters.middle)}.

\`in...\` are the fates of frames that came in, of which each has one: refused by the judge, dropped by match and action, queued by class, or without room there.
\`out...\` count the sender, \`link...\` what a reliable link did not take. The addresses of the registers reach to ${hex(2 ** snicMap.addressBits - 1)}.
`;
}
