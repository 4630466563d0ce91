import { type TableName, tables, tableWrite } from "../../../../../../designs/supernic/wire/index.ts";

/** The tables of the scheduler. */
export type SchedulerTable = TableName & ("dagStage" | "dag" | "chain" | "slot" | "mark");
interface Signal {
  value: number;
}
interface TablePort {
  readonly en: Signal;
  readonly index: Signal;
  readonly value: Readonly<Record<string, Signal>>;
}

/** Software writes an entry; fields that are not given are 0. */
export async function writeTable(
  b: { readonly io: object; cycles(n: number): Promise<unknown> },
  name: SchedulerTable,
  index: number,
  values: Readonly<Record<string, number>>,
): Promise<void> {
  const port = (b.io as Readonly<Record<SchedulerTable, TablePort>>)[name];
  tableWrite(name, index, values);
  port.en.value = 1;
  port.index.value = index;
  for (const field of Object.keys(tables[name].fields)) {
    const to = port.value[field];
    if (to) to.value = values[field] ?? 0;
  }
  await b.cycles(1);
  port.en.value = 0;
}
