import {
  cat,
  constant,
  input,
  instance,
  module,
  output,
  pipeline,
  ram,
  sink,
  source,
  struct,
  uint,
  type UInt,
} from "mnemosyne";
import { bytesOf, doubled, fromBytes, substitutions } from "./field.ts";

/** A block between two rounds: byte 0 of FIPS 197 is the highest. `constant` is the next round's. */
export const Between = struct({ state: uint(128), key: uint(128), constant: uint(8) });

/** ShiftRows (section 5.1.2): byte `4 c + r` comes from column `c + r`. */
const shiftRows = (bytes: readonly UInt<8>[]): UInt<8>[] =>
  bytes.map((_, i) => bytes[(i + 4 * (i % 4)) % 16] as UInt<8>);

/** MixColumns (section 5.1.3), of one column. */
function mixColumn(column: readonly UInt<8>[]): UInt<8>[] {
  const all = column.reduce((a, b) => a.xor(b));
  return column.map((byte, r) => byte.xor(all).xor(doubled(byte.xor(column[(r + 1) % 4] as UInt<8>))));
}

/** The next round's key (section 5.2), from this one and its last word with its bytes rotated and substituted. */
function nextKey(key: UInt<128>, last: UInt<32>, roundConstant: UInt<8>): UInt<128> {
  const words: UInt<32>[] = [];
  let before = last.xor(cat(roundConstant, constant(0, 24)).is(32));
  for (let i = 0; i < 4; i++) {
    before = before.xor(key.bits(96 - 32 * i, 32));
    words.push(before);
  }
  return cat(...words).is(128);
}

/** SubBytes of one byte (section 5.1.1), in the same cycle. */
export const Substitution = module(
  "Substitution",
  () => ({ from: input(uint(8)), to: output(uint(8)) }),
  io => {
    const table = ram(uint(8), { depth: 256, collision: "undefined", init: substitutions });
    io.to.set(table.readAsync(io.from));
  },
);

/**
 * A round of AES-128's encryption, and the key of the next one. Stage 1 substitutes, stage 2 shifts, mixes and adds the
 * key; the last round does not mix. Latency 2, a block a cycle; it holds two blocks and then waits.
 */
export const AesRound = module(
  "AesRound",
  (_p: { readonly last: boolean }) => ({ from: sink(Between), to: source(Between) }),
  (io, p) => {
    const substituted = (name: string, bytes: readonly UInt<8>[]): UInt =>
      fromBytes(
        bytes.map((b, i) => {
          const one = instance(`${name}${i}`, Substitution());
          one.from.set(b);
          return one.to;
        }),
      );
    pipeline(io.from)
      .stage(v => {
        const [a, b, c, d] = bytesOf(v.key.bits(0, 32)) as [UInt<8>, UInt<8>, UInt<8>, UInt<8>];
        return { state: substituted("byte", bytesOf(v.state)).is(128), word: substituted("word", [b, c, d, a]).is(32) };
      })
      .stage(v => {
        const shifted = shiftRows(bytesOf(v.state)),
          columns = [0, 4, 8, 12].flatMap(c => mixColumn(shifted.slice(c, c + 4)));
        const key = nextKey(v.key, v.word, v.constant);
        return {
          state: fromBytes(p.last ? shifted : columns)
            .is(128)
            .xor(key),
          key,
          constant: doubled(v.constant),
        };
      })
      .into(io.to);
  },
);
