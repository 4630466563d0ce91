import { describe, expect, it } from "vitest";
import fc from "fast-check";
import * as t from "../../../../../designs/shared/virtual-memory/table/index.ts";
import { Random } from "../../../../../hdl-dsl/index.ts";

const KB = 2 ** 10,
  MB = 2 ** 20,
  GB = 2 ** 30,
  TB = 2 ** 40;
const parameterSets = [
  { vaBits: 50, pidBits: 16 },
  { vaBits: 40, pidBits: 8 },
];
const space = { vaBits: 50, pidBits: 16 };
const standard = t.tableGeometry({ pageSize: 4 * MB, physicalMemory: 2 * GB, slotsFactor: 4, ...space });
const all = [4 * KB, 2 * MB, 4 * MB, 64 * MB, GB].flatMap(pageSize =>
  [2 * GB, 64 * GB, 4 * TB].flatMap(physicalMemory =>
    [1, 4, 16].flatMap(slotsFactor => parameterSets.map(s => ({ pageSize, physicalMemory, slotsFactor, ...s }))),
  ),
);
describe("geometry", () => {
  it("of the default node", () => {
    expect(standard).toMatchObject({
      pageShift: 22,
      vpnBits: 28,
      ppnBits: 9,
      indexBits: 8,
      tagBits: 36,
      buckets: 256,
      slots: 2048,
      tableBytes: 16384,
      firstPpn: 1,
      usablePages: 511,
      entryBits: 49,
    });
    expect(standard.entry).toEqual([
      { name: "valid", lsb: 0, width: 1 },
      { name: "allocated", lsb: 1, width: 1 },
      { name: "read", lsb: 2, width: 1 },
      { name: "write", lsb: 3, width: 1 },
      { name: "tag", lsb: 4, width: 36 },
      { name: "ppn", lsb: 40, width: 9 },
    ]);
  });
  it("fits 64 bits for every page size, 2 GB to 4 TB", () => {
    for (const c of all) {
      const g = t.tableGeometry(c);
      expect(g.entryBits).toBeLessThanOrEqual(64);
      expect(g.firstPpn * c.pageSize).toBeGreaterThanOrEqual(g.tableBytes);
      expect(g.usablePages).toBeGreaterThan(0);
    }
  });
  it("names the fields of what cannot be", () => {
    expect(() => t.tableGeometry({ pageSize: 4 * MB, physicalMemory: 3 * GB, slotsFactor: 4, ...space })).toThrow(
      "physicalMemory = 3221225472 is not a power of two; the nearest is 4294967296",
    );
    expect(() => t.tableGeometry({ pageSize: GB, physicalMemory: GB, slotsFactor: 4, ...space })).toThrow(
      "physicalMemory = 1073741824 holds no page of pageSize = 1073741824 beside the page table; the least physicalMemory is 2147483648",
    );
    expect(() => t.tableGeometry({ pageSize: 1, physicalMemory: 2 ** 20, slotsFactor: 4, ...space })).toThrow(
      /needs 71 bits \(tag 47, ppn 20\)/,
    );
    expect(() =>
      t.tableGeometry({ pageSize: GB, physicalMemory: 2 * GB, slotsFactor: 4, vaBits: 30, pidBits: 8 }),
    ).toThrow("vaBits = 30 has room for no page beside that of pageSize = 1073741824; the least vaBits is 31");
  });
});

describe("mixing", () => {
  const inverted = (g: t.TableGeometry, key = 0n): void => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 2 ** g.pidBits - 1 }),
        fc.bigInt({ min: 0n, max: (1n << BigInt(g.vpnBits)) - 1n }),
        (pid, vpn) => {
          const at = t.locate(g, pid, vpn, key);
          expect(at.index).toBeLessThan(g.buckets);
          expect(at.tag >> BigInt(g.tagBits)).toBe(0n);
          expect(t.unlocate(g, at, key)).toEqual({ pid, vpn });
        },
      ),
      { numRuns: 20, seed: 3 },
    );
  };
  it("is inverted by unlocate over the whole space, for every geometry", () => {
    for (const c of all)
      for (const key of [0n, 0x9e37_79b9_7f4a_7c15n, 2n ** 64n - 1n]) inverted(t.tableGeometry(c), key);
  });
  it("a planted fault is found: a bit of the word is not in its own parity", () => {
    for (const space of parameterSets) {
      const g = t.tableGeometry({ pageSize: 4 * MB, physicalMemory: 2 * GB, slotsFactor: 4, ...space }),
        mixing = g.mixing.map(m => (m.to === 0 ? { ...m, from: m.from.filter(b => b !== 0) } : m));
      expect(() => {
        inverted({ ...g, mixing });
      }).toThrow();
    }
  });
  it("is shallow enough for three levels of 6-input LUTs, the key's bits with it", () => {
    // A LUT takes three bits that the key masks, or six that it does not.
    for (const c of all)
      for (const s of t.tableGeometry(c).mixing) {
        expect(s.from.length).toBeLessThanOrEqual(36);
        expect(Math.ceil(s.keyed.length / 3) + Math.ceil(s.from.length / 6)).toBeLessThanOrEqual(36);
      }
  });
  it("uses primitive polynomials, also found by counting the powers of X", () => {
    for (let k = 1; k <= 16; k++) {
      const p = t.primitivePolynomial(k);
      let x = 1n,
        order = 0;
      do {
        x <<= 1n;
        if ((x >> BigInt(k)) & 1n) x ^= p;
        order++;
      } while (x !== 1n && order < 2 ** k);
      expect(order, `degree ${k}`).toBe(2 ** k - 1);
    }
    expect(t.isPrimitive(0b11111n, 4)).toBe(false); // Irreducible, but X has order 5.
    expect(t.isPrimitive(0b101n, 2)).toBe(false);
  });
  it("keeps consecutive pages, processes and regions apart", () => {
    const spread = (at: (i: number) => t.Location): number =>
      new Set(Array.from({ length: 256 }, (_, i) => at(i).index)).size;
    expect(spread(i => t.locate(standard, 7, BigInt(i) + 512n))).toBe(256);
    expect(spread(i => t.locate(standard, i, 0n))).toBe(256);
    expect(spread(i => t.locate(standard, 1, BigInt(i) << 8n))).toBe(256);
    // Process i in region i, as a monitor that hands out both in order makes it.
    expect(spread(i => t.locate(standard, i, BigInt(i) << 8n))).toBe(256);
  });
});

describe("a secret key", () => {
  const random = new Random(17),
    anyKey = (): bigint => random.bits(64);
  /** 80 pages of one bucket under `key`, of 80 processes, as one who knows the key finds them. */
  const chosen = (key: bigint): readonly (readonly [number, bigint])[] =>
    Array.from({ length: 80 }, (_, i) => {
      const pid = 1 + 37 * i;
      for (let vpn = 512n; ; vpn++) if (t.locate(standard, pid, vpn, key).index === 5) return [pid, vpn];
    });
  const fullest = (pages: readonly (readonly [number, bigint])[], key: bigint): number => {
    const filled = new Map<number, number>();
    for (const [pid, vpn] of pages) {
      const { index } = t.locate(standard, pid, vpn, key);
      filled.set(index, (filled.get(index) ?? 0) + 1);
    }
    return Math.max(...filled.values());
  };
  it("spreads 80 pages that meet in one bucket under another key", () => {
    for (const key of [0n, anyKey(), anyKey()]) {
      const pages = chosen(key);
      expect(fullest(pages, key)).toBe(80);
      // 80 balls in 256 bins: 8 in one have a probability below 1e-6.
      for (let n = 0; n < 50; n++) expect(fullest(pages, anyKey())).toBeLessThan(8);
    }
  });
  it("makes two pages meet with probability 1 / buckets, whatever two they are", () => {
    const small = t.tableGeometry({ pageSize: 4 * MB, physicalMemory: 128 * MB, slotsFactor: 4, ...space }),
      draws = 2000;
    const pairs: readonly (readonly [number, bigint, number, bigint])[] = [
      [1, 0n, 2, 0n],
      [1, 0n, 1, 1n << 27n],
      [1, 0n, 1, 256n],
      [0x8000, 7n, 0x7fff, (1n << 28n) - 1n],
    ];
    const met = pairs.map(() => 0);
    for (let n = 0; n < draws; n++) {
      const key = anyKey();
      pairs.forEach(([p, v, q, w], i) => {
        if (t.locate(small, p, v, key).index === t.locate(small, q, w, key).index) met[i] = (met[i] ?? 0) + 1;
      });
    }
    // Expected 125, standard deviation 11.
    expect(small.buckets).toBe(16);
    for (const m of met) expect(Math.abs(m - draws / small.buckets)).toBeLessThan(60);
  });
  it("keeps consecutive pages apart", () => {
    for (let n = 0; n < 20; n++) {
      const key = anyKey(),
        first = BigInt(256 * random.below(1000));
      expect(
        new Set(Array.from({ length: 256 }, (_, i) => t.locate(standard, 7, first + BigInt(i), key).index)).size,
      ).toBe(256);
    }
  });
  it("a planted fault is found: the key is ignored", () => {
    const deaf = { ...standard, mixing: standard.mixing.map(s => ({ ...s, keyed: [] })) },
      pages = chosen(0n);
    const met = new Set(pages.map(([pid, vpn]) => t.locate(deaf, pid, vpn, anyKey()).index));
    expect(met.size).toBe(1);
  });
});

/** Entries that would not fit their bucket, and the fullest bucket, when pages are put in without looking. */
function occupancy(
  g: t.TableGeometry,
  pages: Iterable<readonly [pid: number, vpn: bigint]>,
): { fullest: number; overflow: number; count: number } {
  const filled = new Uint32Array(g.buckets);
  let count = 0;
  for (const [pid, vpn] of pages) {
    const { index } = t.locate(g, pid, vpn);
    filled[index] = (filled[index] ?? 0) + 1;
    count++;
  }
  return {
    fullest: Math.max(...filled),
    overflow: filled.reduce((n, f) => n + Math.max(0, f - t.bucketSlots), 0),
    count,
  };
}
/** Expected share of entries beyond 8 in a bucket when a perfect hash throws `load` x 8 entries at each (Poisson). */
function perfectOverflow(load: number): number {
  const mean = load * t.bucketSlots;
  let p = Math.exp(-mean),
    share = 0;
  for (let k = 0; k < 100; k++) {
    if (k > t.bucketSlots) share += (k - t.bucketSlots) * p;
    p *= mean / (k + 1);
  }
  return share / mean;
}

describe("bucket occupancy", () => {
  const g = t.tableGeometry({ pageSize: 4 * MB, physicalMemory: 64 * GB, slotsFactor: 4, ...space });
  for (const load of [0.5, 0.9]) {
    const total = Math.floor(g.slots * load);
    it(`sequential allocations at ${load * 100} %: no bucket overflows`, () => {
      const oneProcess = Array.from({ length: total }, (_, i) => [1, BigInt(i)] as const);
      expect(occupancy(g, oneProcess)).toMatchObject({ overflow: 0, fullest: Math.ceil(load * 8) });
      // 64 processes of equal size from address 0: runs of any length interleave, and yet hardly anything overflows.
      const each = Math.floor(total / 64),
        processes = Array.from({ length: 64 * each }, (_, i) => [1 + Math.floor(i / each), BigInt(i % each)] as const);
      const o = occupancy(g, processes);
      expect(o.overflow / o.count).toBeLessThanOrEqual(load === 0.5 ? 0.002 : perfectOverflow(load));
    });
    it(`random allocations at ${load * 100} %: as good as a perfect hash`, () => {
      const r = new Random(4);
      const pages = Array.from({ length: total }, () => [r.below(65536), BigInt(r.below(2 ** g.vpnBits))] as const);
      const o = occupancy(g, pages),
        expected = perfectOverflow(load);
      expect(o.overflow / o.count).toBeGreaterThan(expected * 0.8);
      expect(o.overflow / o.count).toBeLessThan(expected * 1.2);
    });
  }
});

describe("entries", () => {
  it("pack and unpack", () => {
    const e = { valid: true, allocated: true, read: true, write: false, tag: 0xfedcba987n, ppn: 0x1a5 };
    expect(t.packEntry(standard, e)).toBe(0b0111n | (0xfedcba987n << 4n) | (0x1a5n << 40n));
    expect(t.unpackEntry(standard, t.packEntry(standard, e))).toEqual(e);
    expect(t.entryShape(standard).fields).toMatchObject({
      tag: { width: 36 },
      ppn: { width: 9 },
      unused: { width: 15 },
    });
  });
  it("lie in one 64-byte bucket", () => {
    expect([t.bucketAddress(standard, 3), t.entryAddress(standard, 3, 7)]).toEqual([192, 248]);
  });
});
