/** A round of AES (FIPS-197, section 5.1) as wires. Byte 0 of the state is lowest; byte r + 4 c is row r, column c. */
import {
  bit,
  cat,
  constant,
  input,
  instance,
  module,
  mux,
  output,
  ram,
  uint,
  type UInt,
} from "../../../../../hdl-dsl/index.ts";
import { aesSbox } from "../../../wire/index.ts";

export const blockBits = 128;
const byteOf = (word: UInt, i: number): UInt<8> => word.bits(8 * i, 8);
const bytesOf = (word: UInt): UInt<8>[] => Array.from({ length: word.width / 8 }, (_, i) => byteOf(word, i));
const joined = (bytes: readonly UInt[]): UInt => cat(...bytes.toReversed());

/** SubBytes of some bytes, each by a table of its own. */
export const SubBytes = module(
  "AesSubBytes",
  (p: { readonly bytes: number }) => ({ from: input(uint(8 * p.bytes)), to: output(uint(8 * p.bytes)) }),
  (io, p) => {
    const subs = bytesOf(io.from).map((b, i) =>
      ram(uint(8), {
        depth: 256,
        init: aesSbox,
        style: "distributed",
        collision: "undefined",
        name: `table_${i}`,
      }).readAsync(b),
    );
    io.to.set(joined(subs).is(8 * p.bytes));
  },
  { nameOf: p => `AesSubBytes_${p.bytes}` },
);

/** Twice a byte in the field of 256. */
const doubled = (b: UInt<8>): UInt<8> => b.shl(1).xor(mux(b.bit(7), constant(0x1b, 8), constant(0, 8)));
/** Column by column: each byte becomes 2 a + 3 b + c + d of those from it on. */
function mixColumns(bytes: readonly UInt<8>[]): UInt<8>[] {
  return bytes.map((a, i) => {
    const at = (more: number): UInt<8> => bytes[4 * Math.floor(i / 4) + ((i + more) % 4)] ?? a;
    return doubled(a.xor(at(1)))
      .xor(at(1))
      .xor(at(2))
      .xor(at(3));
  });
}
const shiftRows = (bytes: readonly UInt<8>[]): UInt<8>[] =>
  bytes.map((b, i) => bytes[(i % 4) + 4 * ((Math.floor(i / 4) + (i % 4)) % 4)] ?? b);

export interface RoundParameters {
  /** The last round: its columns are not mixed. */
  readonly last: boolean;
  /** A block may skip all of it but the key: AES-128 has fewer rounds. */
  readonly skips: boolean;
}
/** SubBytes, ShiftRows, MixColumns and AddRoundKey. Wires only; where a block `skips`, AddRoundKey only. */
export const Round = module(
  "AesRound",
  (p: RoundParameters) => ({
    from: input(uint(blockBits)),
    key: input(uint(blockBits)),
    ...(p.skips ? { skips: input(bit) } : ({} as { skips: ReturnType<typeof input<typeof bit>> })),
    to: output(uint(blockBits)),
  }),
  (io, p) => {
    const tables = instance("tables", SubBytes({ bytes: 16 }));
    tables.from.set(io.from);
    const shifted = shiftRows(bytesOf(tables.to)),
      mixed = joined(p.last ? shifted : mixColumns(shifted)).is(blockBits);
    io.to.set((p.skips ? mux(io.skips, io.from, mixed) : mixed).xor(io.key));
  },
  { nameOf: p => `AesRound${p.last ? "_last" : ""}${p.skips ? "_skips" : ""}` },
);
