/** The example programs on the interpreter, against what they are to do. */
import { describe, expect, test } from "vitest";
import { Random } from "../../../../sim/index.ts";
import { status } from "../../../../designs/clio/wire/index.ts";
import { usualEngine } from "../../../../designs/wickit/config/index.ts";
import { runWic, StretchMemory, type WicCall } from "../../../../designs/wickit/model/index.ts";
import { buckets, capacity, example, listWords, nodes } from "../support/programs.ts";

const base = 0x1_0000n;
function machine(name: "list" | "log" | "kv") {
  const memory = new StretchMemory(base, 4096),
    m = { ...usualEngine, image: example(name).instructions, base };
  return { memory, run: (call: WicCall) => runWic(m, call, a => memory.access(a)) };
}
const ok = (...words: bigint[]) => ({ status: status.OK, words }),
  failed = { status: status.FAIL, words: [] };

describe("the example programs, on the interpreter", () => {
  test("list: the value of the n-th node", () => {
    const { memory, run } = machine("list");
    listWords(base, nodes).forEach((w, i) => memory.setWord(base + BigInt(8 * i), w));
    for (let n = 1; n <= 2 * nodes; n++)
      expect(run({ program: 0, words: [BigInt(n)] })).toMatchObject(ok(1000n + BigInt((n - 1) % nodes)));
  });
  test("log: numbers in their order, the last value, full and empty", () => {
    const { run } = machine("log"),
      entries: bigint[] = [],
      r = new Random(3);
    expect(run({ program: 1, words: [] })).toMatchObject(failed);
    for (let i = 0; i < 60; i++) {
      if (r.chance(0.5)) {
        const value = r.bits(64),
          full = entries.length === Number(capacity);
        expect(run({ program: 0, words: [value, capacity] })).toMatchObject(full ? failed : ok(BigInt(entries.length)));
        if (!full) entries.push(value);
      } else {
        const last = entries.at(-1);
        expect(run({ program: 1, words: [] })).toMatchObject(last === undefined ? failed : ok(last));
      }
    }
    expect(entries.length).toBe(Number(capacity));
  });
  test("key-value store: as a map; a put fails only when both of its buckets are full", () => {
    const { memory, run } = machine("kv"),
      map = new Map<bigint, bigint>(),
      r = new Random(4),
      mask = BigInt(buckets - 1);
    let refused = 0,
      moved = 0;
    for (let i = 0; i < 600; i++) {
      const key = BigInt(r.between(0, 22));
      if (r.chance(0.5)) {
        const value = map.get(key);
        expect(run({ program: 0, words: [key, mask] })).toMatchObject(value === undefined ? failed : ok(value));
      } else {
        const value = r.bits(64),
          before = placeOf(memory, map),
          outcome = run({ program: 1, words: [key, value, mask] });
        if (outcome.status === status.OK) map.set(key, value);
        else {
          expect(map.has(key)).toBe(false);
          if (key !== 0n) refused++;
        }
        const after = placeOf(memory, map);
        for (const [k, at] of before) if (after.get(k) !== at) moved++;
      }
      // The lock is free again.
      expect(memory.word(base)).toBe(0n);
    }
    expect(refused).toBeGreaterThan(0);
    expect(moved).toBeGreaterThan(0);
  });
});

/** Where each key stands; a key that stands twice, or one that is not in the map, is a fault. */
function placeOf(memory: StretchMemory, map: ReadonlyMap<bigint, bigint>): Map<bigint, number> {
  const places = new Map<bigint, number>();
  for (let slot = 0; slot < 4 * buckets; slot++) {
    const at = base + 64n + BigInt(16 * slot),
      key = memory.word(at);
    if (key === 0n) continue;
    if (places.has(key) || map.get(key) !== memory.word(at + 8n))
      throw new Error(`slot ${slot}: key ${key} stands twice, or has a value of its own`);
    places.set(key, slot);
  }
  expect(places.size).toBe(map.size);
  return places;
}
