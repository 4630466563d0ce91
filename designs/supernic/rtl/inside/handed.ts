/** What more goes between blocks: entries that software writes, and what is free again. */
import { addressBits, type Bit, bit, struct, uint, type UInt } from "../../../../hdl-dsl/index.ts";
import { type TableName, tables } from "../../wire/index.ts";
import { cellBeats, type DeviceSizes, payloadBeats } from "./parameters.ts";
import { tableEntry, userBits } from "./records.ts";

/** An entry of one table that is written now: always taken. */
export const EntryWrite = <N extends TableName>(name: N) =>
  struct({ en: bit, index: uint(addressBits(tables[name].entries)), value: tableEntry(name) });

/** A write of one of the first entries: of a table that has more than this device has room for. */
export const ownEntry = ({ en, index }: { readonly en: Bit; readonly index: UInt }, entries: number): Bit =>
  entries >= 2 ** index.width ? en : en.and(index.lt(entries));
/** Cells of the longest payload. */
export const payloadCells = (p: Pick<DeviceSizes, "frameBytes">): number => Math.ceil(payloadBeats(p) / cellBeats);
/** Bits of the number of cells of a payload. */
export const payloadCellBits = (p: Pick<DeviceSizes, "frameBytes">): number =>
  Math.ceil(Math.log2(payloadCells(p) + 1));
/** A packet whose context and cells are free again. */
export const Released = (p: Pick<DeviceSizes, "frameBytes">) =>
  struct({ valid: bit, user: uint(userBits), cells: uint(payloadCellBits(p)) });
