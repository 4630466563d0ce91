import { describe, expect, it } from "vitest";
import { hashKeyBits, type KeyedBit, toeplitzBits, toeplitzMask } from "../../../../designs/shared/hash/index.ts";
import { Random } from "../../../../hdl-dsl/index.ts";

const parameterSets = [
  { outputs: 9, inputs: Array.from({ length: 48 }, (_, j) => j) },
  { outputs: 8, inputs: Array.from({ length: 36 }, (_, j) => 8 + j) },
  { outputs: 16, inputs: [3, 4, 9, 40, 50] },
];
const parity = (v: bigint): number => v.toString(2).replaceAll("0", "").length % 2;
const hash = (bits: readonly (readonly KeyedBit[])[], value: bigint, key: bigint): number =>
  bits.reduce((sum, b, i) => sum + 2 ** i * parity(value & toeplitzMask(b, key)), 0);

/** The textbook's way: for each bit that is set, the key shifted by as many places (RSS of Microsoft, turned round). */
function textbook({ outputs, inputs }: (typeof parameterSets)[number], value: bigint, key: bigint): number {
  const round = key | (key << BigInt(hashKeyBits));
  return inputs.reduce(
    (sum, j) =>
      (value >> BigInt(j)) & 1n ? sum ^ Number((round >> BigInt(j % hashKeyBits)) & (2n ** BigInt(outputs) - 1n)) : sum,
    0,
  );
}

/** Compares on random values and keys. @throws at the first difference */
function compare(p: (typeof parameterSets)[number], bits: readonly (readonly KeyedBit[])[]): void {
  const random = new Random(8);
  for (let n = 0; n < 500; n++) {
    const value = random.bits(56),
      key = random.bits(64);
    expect(hash(bits, value, key)).toBe(textbook(p, value, key));
  }
}

describe.each(parameterSets)("the Toeplitz hash to $outputs bits", p => {
  const bits = toeplitzBits(p.outputs, p.inputs);
  it("is the textbook's", () => {
    compare(p, bits);
  });
  it("adds nothing under key 0, and is linear in value and in key", () => {
    const random = new Random(9);
    for (let n = 0; n < 200; n++) {
      const [a, b, k, l] = [random.bits(56), random.bits(56), random.bits(64), random.bits(64)] as const;
      expect(hash(bits, a, 0n)).toBe(0);
      expect(hash(bits, a ^ b, k)).toBe(hash(bits, a, k) ^ hash(bits, b, k));
      expect(hash(bits, a, k ^ l)).toBe(hash(bits, a, k) ^ hash(bits, a, l));
    }
  });
  it("takes no bit of the key twice for one bit of the input", () => {
    for (const j of p.inputs) expect(new Set(bits.map(b => b.find(c => c.bit === j)?.key)).size).toBe(p.outputs);
  });
  it("a planted fault is found: two bits of the result share their bits of the key", () => {
    expect(() => {
      compare(
        p,
        bits.map((b, i) => (i === 1 ? (bits[0] ?? b) : b)),
      );
    }).toThrow();
  });
});

it("refuses more bits than the key can serve", () => {
  const inputs = Array.from({ length: 60 }, (_, j) => j);
  expect(() => toeplitzBits(5, inputs)).not.toThrow();
  expect(() => toeplitzBits(6, inputs)).toThrow("a key of 64 bits is too short for 60 bits in and 6 out");
});
