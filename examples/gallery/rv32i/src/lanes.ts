/** Bytes of a word that loads and stores of 1, 2 and 4 bytes are about: `size` is the low half of funct3. */
import { type Bit, cat, mux, onehotMux, priority, repeat, type UInt } from "mnemosyne";

/** An address that its size does not divide. */
export const isMisaligned = (address: UInt<32>, size: UInt<2>): Bit =>
  mux(size.bit(1), address.bits(0, 2).any(), size.bit(0).and(address.bit(0)));

/** A store's data in every lane where they may belong, and the lanes that are written. */
export function storeLanes(data: UInt<32>, address: UInt<32>, size: UInt<2>): { data: UInt<32>; strobe: UInt<4> } {
  const sizes = [size.eq(0), size.eq(1), size.bit(1)];
  const at = address.bits(0, 2),
    high = at.bit(1);
  const byte = cat(at.eq(3), at.eq(2), at.eq(1), at.eq(0)),
    half = cat(repeat(high, 2), repeat(high.not(), 2)),
    word = repeat(sizes[2] as Bit, 4);
  return {
    data: onehotMux(sizes, [repeat(data.trunc(8), 4), repeat(data.trunc(16), 2), data]),
    strobe: onehotMux(sizes, [byte, half, word]),
  };
}

/** What a load gives of the word at its address. */
export function loaded(word: UInt<32>, address: UInt<32>, funct3: UInt<3>): UInt<32> {
  const half = mux(address.bit(1), word.bits(16, 16), word.bits(0, 16)),
    byte = mux(address.bit(0), half.bits(8, 8), half.bits(0, 8));
  const signed = funct3.bit(2).not();
  const extended = (v: UInt, width: number): UInt<32> =>
    cat(repeat(signed.and(v.bit(width - 1)), 32 - width), v).is(32);
  const size = funct3.bits(0, 2);
  return priority([size.eq(0), extended(byte, 8)], [size.eq(1), extended(half, 16)], word);
}
