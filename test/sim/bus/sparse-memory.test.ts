import { describe, expect, test } from "vitest";
import { Random, SparseMemory } from "../../../sim/index.ts";

describe("sparse memory", () => {
  for (const fill of ["zeros", { seed: 4 }] as const) {
    test(`agrees with a plain array, from ${JSON.stringify(fill)}`, () => {
      const random = new Random(8),
        base = 7 * 4096,
        size = 5 * 4096;
      const memory = new SparseMemory({ fill }),
        plain = memory.read(base, size);
      if (fill === "zeros") expect(plain.every(b => b === 0)).toBe(true);
      else expect(plain.every(b => b === 0)).toBe(false);
      expect(new SparseMemory({ fill }).read(base, size)).toEqual(plain);
      for (let i = 0; i < 400; i++) {
        const at = random.between(0, size - 1),
          n = random.between(0, Math.min(size - at, random.chance(0.2) ? 3 * 4096 : 200));
        if (random.chance(0.3)) {
          memory.zero(base + at, n);
          plain.fill(0, at, at + n);
        } else {
          const bytes = random.bytes(n);
          memory.write(base + at, bytes);
          plain.set(bytes, at);
        }
        expect(Buffer.compare(memory.read(base, size), plain), `step ${i}`).toBe(0);
      }
    });
  }

  test("zeroing terabytes gives pages back at once", () => {
    const memory = new SparseMemory();
    for (const a of [0, 2 ** 30, 2 ** 41, 2 ** 45]) memory.write(a, Uint8Array.of(1));
    memory.zero(100, 2 ** 42 - 100);
    expect(memory.pages).toBe(2);
    expect([memory.read(0, 1)[0], memory.read(2 ** 41, 1)[0], memory.read(2 ** 45, 1)[0]]).toEqual([1, 0, 1]);
  });

  test("what lies outside is refused", () => {
    const memory = new SparseMemory({ size: 8192 });
    expect(() => memory.read(8191, 2)).toThrow(
      "memory: 2 bytes at 8191 lie outside its 8192 bytes; give an address below that",
    );
    for (const bad of [
      () => memory.write(-1, new Uint8Array(1)),
      () => memory.zero(0, 9000),
      () => memory.read(0.5, 1),
    ])
      expect(bad).toThrow("lie outside");
  });
});
