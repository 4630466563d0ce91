/**
 * The Toeplitz hash: bit i of the result takes bit j of the input when bit i + j of a random key is set. Hardware,
 * software and models read the same list.
 *
 * For a random key, two given inputs that differ meet with probability 2^-outputs, however they were chosen. That
 * holds as long as `i + j` meets no bit of the key twice: the inputs' span and `outputs` are at most `hashKeyBits` + 1
 * together. The hash is linear: who sees where inputs meet learns a bit of the key each time.
 */

/** Bits of the key. */
export const hashKeyBits = 64;

/** Bit `bit` of the input counts when bit `key` of the key is set. */
export interface KeyedBit {
  readonly bit: number;
  readonly key: number;
}

/** The input bits that each of `outputs` bits takes. @param inputs the input's bits that are hashed, ascending */
export function toeplitzBits(outputs: number, inputs: readonly number[]): readonly (readonly KeyedBit[])[] {
  const span = inputs.length === 0 ? 0 : (inputs.at(-1) ?? 0) - (inputs[0] ?? 0) + 1;
  if (span + outputs > hashKeyBits + 1)
    throw new RangeError(`a key of ${hashKeyBits} bits is too short for ${span} bits in and ${outputs} out`);
  return Array.from({ length: outputs }, (_, i) => inputs.map(bit => ({ bit, key: (i + bit) % hashKeyBits })));
}

/** The input's bits that count under `key`, as a mask; the result's bit is the parity of those. */
export function toeplitzMask(bits: readonly KeyedBit[], key: bigint): bigint {
  return bits.reduce((mask, b) => ((key >> BigInt(b.key)) & 1n ? mask | (1n << BigInt(b.bit)) : mask), 0n);
}
