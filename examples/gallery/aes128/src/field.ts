/** Arithmetic of AES's bytes (FIPS 197, section 4): at elaboration with numbers, in hardware with values. */
import { cat, constant, mux, type UInt } from "mnemosyne";

/** Multiplication in GF(2^8) by x^8 + x^4 + x^3 + x + 1. */
function times(a: number, b: number): number {
  let product = 0;
  for (let i = 0; i < 8; i++) if (((b >> i) & 1) === 1) product ^= a << i;
  for (let i = 14; i >= 8; i--) if (((product >> i) & 1) === 1) product ^= 0x11b << (i - 8);
  return product;
}

/** SubBytes (section 5.1.1): the inverse, then an affine map. */
export const substitutions: readonly number[] = Array.from({ length: 256 }, (_, a) => {
  let inverse = 0;
  for (let b = 1; b < 256; b++) if (times(a, b) === 1) inverse = b;
  const rotated = (n: number): number => ((inverse << n) | (inverse >> (8 - n))) & 0xff;
  return inverse ^ rotated(1) ^ rotated(2) ^ rotated(3) ^ rotated(4) ^ 0x63;
});

/** Twice a byte, in hardware. */
export const doubled = (a: UInt<8>): UInt<8> => a.shl(1).xor(mux(a.bit(7), constant(0x1b, 8), constant(0, 8)));

/** The bytes of a value, the highest first: as FIPS 197 numbers them. */
export const bytesOf = (v: UInt): UInt<8>[] =>
  Array.from({ length: v.width / 8 }, (_, i) => v.bits(v.width - 8 - 8 * i, 8));
export const fromBytes = (bytes: readonly UInt<8>[]): UInt => cat(...bytes);
