/** Sizes and times of a synchronous DRAM (JEDEC's SDR SDRAM): words of 16 bits, bursts of two. */
import { bit, enumOf, struct, uint } from "mnemosyne";

export interface Geometry {
  readonly rowBits: number;
  /** A column is 16 bits. */
  readonly columnBits: number;
}
/** In cycles of the memory's clock, by their names in data sheets. */
export interface Times {
  /** From power to the first command: 100 us. */
  readonly powerUp: number;
  /** ACTIVE to READ or WRITE. */
  readonly rcd: number;
  /** PRECHARGE to whatever comes next in the bank. */
  readonly rp: number;
  /** ACTIVE to PRECHARGE, at least. */
  readonly ras: number;
  /** REFRESH to whatever comes next. */
  readonly rfc: number;
  /** LOAD MODE REGISTER to whatever comes next. */
  readonly mrd: number;
  /** The last written data to PRECHARGE. */
  readonly wr: number;
  /** READ to its first data: 2 or 3. */
  readonly cas: number;
  /** Between two REFRESHes: 64 ms over the number of rows. */
  readonly refresh: number;
}
export interface SdramParameters extends Geometry {
  readonly times: Times;
}

/** A chip of 64 Mbit, four banks of 4,096 rows of 256 columns, at 100 MHz. */
export const chip64: SdramParameters = {
  rowBits: 12,
  columnBits: 8,
  times: { powerUp: 10_000, rcd: 2, rp: 2, ras: 5, rfc: 7, mrd: 2, wr: 2, cas: 2, refresh: 1562 },
};

export const bankBits = 2,
  banks = 4,
  wordBytes = 4;
/** Bits of a word's number: row, bank and column, the row highest. */
export const wordBits = (p: Geometry): number => p.rowBits + bankBits + p.columnBits - 1;
/** A word of 32 bits; `strobe` marks the bytes that a write changes. */
export const requestOf = (p: Geometry) =>
  struct({ word: uint(wordBits(p)), write: bit, data: uint(32), strobe: uint(wordBytes) });

/** What stands on CS#, RAS#, CAS# and WE#, in this order from the highest bit. */
export const Command = enumOf("Command", {
  mode: 0b0000,
  refresh: 0b0001,
  precharge: 0b0010,
  active: 0b0011,
  write: 0b0100,
  read: 0b0101,
  nop: 0b0111,
});
