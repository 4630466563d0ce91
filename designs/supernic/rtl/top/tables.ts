/** The bus of the tables, and what each block takes of it. */
import { type Bit, node, reg, type UInt, type Val } from "../../../../hdl-dsl/index.ts";
import { type TableField, type TableName, tables, ternaryChunkBits } from "../../wire/index.ts";
import { type EntryWrite, TableBus } from "../inside/index.ts";

type Bus = Val<typeof TableBus>;

/** A register behind the bus: an entry is written a cycle later. */
export function behindBus(bus: Bus): Bus {
  const behind = reg(TableBus, { init: { en: 0 }, name: "table_bus" });
  behind.set(bus);
  return behind;
}

/** This table is written now, an entry that it has; of tables that each port has, at this one. */
const isFor = (bus: Bus, name: TableName, port?: number): Bit => {
  const { id, entries } = tables[name],
    en = bus.en.and(bus.table.eq(id)).and(bus.index.lt(entries));
  return port === undefined ? en : en.and(bus.ports.bit(port));
};
/** The fields of a value, the first lowest. */
function fieldsOf(bus: Bus, name: TableName): Readonly<Record<string, UInt>> {
  let at = 0;
  return Object.fromEntries(
    Object.entries<TableField>(tables[name].fields).map(([field, { bits }]) => {
      const value = bus.value.bits(at, bits);
      at += bits;
      return [field, value];
    }),
  );
}
/** A write of one table. */
export function writeOf<N extends TableName>(bus: Bus, name: N, port?: number) {
  const bits = Math.max(1, Math.ceil(Math.log2(tables[name].entries)));
  return {
    en: node(isFor(bus, name, port), { name: port === undefined ? `writes_${name}` : `writes_${name}_${port}` }),
    index: bus.index.trunc(bits),
    value: fieldsOf(bus, name),
    // The value has the table's fields, by their names; to the compiler it is a record of any.
  } as unknown as Val<ReturnType<typeof EntryWrite<N>>>;
}
/** A word of a ternary table, by chunk and address. */
export function ternaryOf(bus: Bus, name: "ruleWord" | "macWord", chunkBits: number, port?: number) {
  const { en, index, value } = writeOf(bus, name, port);
  return {
    en,
    chunk: index.bits(ternaryChunkBits, chunkBits),
    at: index.trunc(ternaryChunkBits),
    word: value.word,
  };
}
