import { describe, expect, test } from "vitest";
import { geometryOf, TableWalk } from "../../../../../designs/shared/virtual-memory/rtl/table-walk.ts";
import {
  bucketAddress,
  bucketBytes,
  bucketSlots,
  type Entry,
  packEntry,
  type TableGeometry,
} from "../../../../../designs/shared/virtual-memory/table/index.ts";
import {
  AxiRam,
  type Bench,
  bernoulli,
  never,
  peek,
  poke,
  type Random,
  runBench,
  SparseMemory,
  StreamSink,
  StreamSource,
} from "../../../../../sim/index.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { noWrites } from "../../../../support/half-axi.ts";
import { testOfResets } from "../../../../support/reset-any-time.ts";

const misses = 8,
  idBits = 5;
/** By bytes of a beat: narrow buses with another table and another address space. */
const parameterSets = {
  8: { pageSize: 65536, physicalMemory: 2 ** 24, slotsFactor: 16, vaBits: 40, pidBits: 6 },
  16: { pageSize: 4096, physicalMemory: 2 ** 24, slotsFactor: 4, vaBits: 50, pidBits: 16 },
  32: { pageSize: 16384, physicalMemory: 2 ** 24, slotsFactor: 8, vaBits: 44, pidBits: 12 },
  64: { pageSize: 4096, physicalMemory: 2 ** 24, slotsFactor: 4, vaBits: 50, pidBits: 16 },
} as const;
type BeatBytes = keyof typeof parameterSets;
const dut = (beatBytes: BeatBytes) =>
  TableWalk({ ...parameterSets[beatBytes], misses, beatBytes, addressBits: 24, idBits });
type Ports = ReturnType<typeof dut>["ports"];

interface Bucket {
  readonly index: number;
  readonly entries: readonly (Entry | undefined)[];
}
/**
 * Buckets of random entries whose tags are close to each other; free slots hold entries that were:
 * everything but `allocated`.
 */
function randomBuckets(g: TableGeometry, random: Random, memory: SparseMemory, count: number): Bucket[] {
  return Array.from({ length: count }, (_, n) => {
    const index = n < 4 ? ([0, 1, g.buckets - 2, g.buckets - 1][n] as number) : n * 3,
      base = random.bits(g.tagBits);
    const near = (): bigint => base ^ (1n << BigInt(random.between(0, g.tagBits - 1)));
    const tags = new Set<bigint>();
    while (tags.size < bucketSlots) tags.add(near());
    const all = [...tags].map((tag): Entry => ({
      allocated: random.chance(0.8),
      valid: random.chance(),
      read: random.chance(),
      write: random.chance(),
      tag,
      ppn: random.between(0, 2 ** g.ppnBits - 1),
    }));
    const data = new DataView(new ArrayBuffer(bucketBytes));
    all.forEach((e, slot) => data.setBigUint64(slot * 8, packEntry(g, e), true));
    memory.write(bucketAddress(g, index), new Uint8Array(data.buffer));
    return { index, entries: all };
  });
}

interface Job {
  readonly miss: number;
  readonly bucket: Bucket;
  readonly tag: bigint;
  readonly error: boolean;
}
/** Required output of the walk. */
function expected(j: Job): Record<string, unknown> {
  const slot = j.bucket.entries.findIndex(e => e?.allocated && e.tag === j.tag),
    e = j.bucket.entries[slot];
  const found = e ? { mapped: +e.valid, read: +e.read, write: +e.write, ppn: e.ppn, slot } : {};
  return {
    miss: j.miss,
    error: +j.error,
    allocated: +(e !== undefined),
    index: j.bucket.index,
    tag: j.tag,
    ...(j.error ? {} : found),
  };
}
function check(result: Record<string, unknown>, j: Job): void {
  const want = expected(j),
    got = Object.fromEntries(
      Object.keys(want).map(k => [k, k === "tag" ? BigInt(result[k] as number) : Number(result[k])]),
    );
  if (j.error) {
    delete want["allocated"];
    delete got["allocated"];
  }
  expect(got, `walk of miss ${j.miss}`).toEqual(want);
}

/**
 * Bucket reads answered in any order of the IDs, beats of several mixed, one after the other without a gap
 * or with some.
 */
class MixingMemory {
  readonly bursts: { readonly id: number; readonly address: number; beat: number }[] = [];
  readonly #memory: SparseMemory;
  readonly #beatBytes: number;
  readonly #r: StreamSource<Ports["r"]["shape"]>;
  readonly #ar: StreamSink<Ports["ar"]["shape"]>;
  readonly #random: Random;
  readonly #failing: () => Set<number>;
  /** Fewest bursts that wait before one is answered: to answer them back to back. */
  gather = 1;
  constructor(b: Bench<Ports>, memory: SparseMemory, beatBytes: number, busy: number, failing: () => Set<number>) {
    this.#memory = memory;
    this.#beatBytes = beatBytes;
    this.#random = b.random.fork("memory");
    this.#failing = failing;
    this.#ar = new StreamSink(b.sim, b.io.ar, { pause: busy > 0 ? bernoulli(busy, 5) : never });
    this.#r = new StreamSource(b.sim, b.io.r, { pause: busy > 0 ? bernoulli(busy, 6) : never });
    b.onEdge(this);
  }
  #open = false;
  sample(): void {
    const taken = this.#ar.take();
    if (taken) {
      const a = taken.value;
      expect([a.len, a.size, a.burst, Number(a.addr) % bucketBytes], "shape of the fetch").toEqual([
        bucketBytes / this.#beatBytes - 1,
        Math.log2(this.#beatBytes),
        1,
        0,
      ]);
      expect(
        this.bursts.some(x => x.id === Number(a.id)),
        `ID ${a.id} used twice`,
      ).toBe(false);
      this.bursts.push({ id: Number(a.id), address: Number(a.addr), beat: 0 });
    }
    if (this.bursts.length >= this.gather) this.#open = true;
    if (this.bursts.length === 0) this.#open = false;
    if (!this.#open || this.#r.pending > 0) return;
    const burst = this.#random.pick(this.bursts),
      bytes = this.#memory.read(burst.address + burst.beat * this.#beatBytes, this.#beatBytes);
    const last = ++burst.beat === bucketBytes / this.#beatBytes;
    if (last) this.bursts.splice(this.bursts.indexOf(burst), 1);
    const fails = this.#failing().has(burst.id - 1) && (last || this.#random.chance(0.3));
    this.#r.send({
      data: BigInt(`0x${Buffer.from(bytes).reverse().toString("hex")}`),
      id: burst.id,
      resp: fails ? this.#random.between(2, 3) : 0,
      last: last ? 1 : 0,
    });
  }
}

/** Random fetches, as many in flight as there are misses. */
async function run(b: Bench<Ports>, beatBytes: BeatBytes, count: number, busy: number, gather: number): Promise<void> {
  const random = b.random.fork("jobs"),
    sparse = new SparseMemory(),
    g = geometryOf(parameterSets[beatBytes]),
    buckets = randomBuckets(g, random, sparse, 40);
  const flying = new Map<number, Job>(),
    failing = new Set<number>();
  const memory = new MixingMemory(b, sparse, beatBytes, busy, () => failing);
  memory.gather = gather;
  const fetch = new StreamSource(b.sim, b.io.fetch, { pause: busy > 0 ? bernoulli(busy, 7) : never });
  let done = 0,
    announced: number | undefined;
  b.onEdge({
    sample: cycle => {
      const before = announced;
      announced = b.io.arriving.valid.value ? Number(b.io.arriving.miss.value) : undefined;
      expect(
        b.io.walked.valid.value ? Number(b.io.walked.result.miss.value) : undefined,
        `miss announced before cycle ${cycle}`,
      ).toBe(before);
      if (b.io.walked.valid.value === 0) return;
      const result = peek(b.io.walked.result),
        j = flying.get(Number(result["miss"]));
      if (!j) throw new Error(`a walk of miss ${String(result["miss"])}, which fetches nothing`);
      check(result, j);
      flying.delete(j.miss);
      failing.delete(j.miss);
      done++;
    },
  });
  for (let n = 0; n < count;) {
    const free = Array.from({ length: misses }, (_, i) => i).filter(i => !flying.has(i));
    if (free.length > 0 && fetch.pending === 0) {
      const miss = random.pick(free),
        bucket = random.pick(buckets),
        e = random.pick(bucket.entries),
        error = random.chance(0.05);
      const tag =
        random.chance(0.85) && e
          ? e.tag
          : random.chance()
            ? random.bits(g.tagBits)
            : (random.pick(random.pick(buckets).entries)?.tag ?? 0n);
      flying.set(miss, { miss, bucket, tag, error });
      if (error) failing.add(miss);
      fetch.send({ miss, index: bucket.index, tag });
      n++;
    }
    await b.risingEdge();
  }
  await b.until(() => flying.size === 0);
  expect(done).toBe(count);
}

describe("TableWalk", () => {
  for (const beatBytes of [8, 16, 32, 64] as const) {
    test(`${beatBytes * 8} bits: random buckets, answers out of order with beats mixed, back-pressure`, () =>
      runBench("walk", dut(beatBytes), {}, b => run(b, beatBytes, 1200, 0.3, 1)));
    test(`${beatBytes * 8} bits: ${misses} answers back to back each match their own tag (fault 3)`, () =>
      runBench("walk", dut(beatBytes), {}, b => run(b, beatBytes, 800, 0, misses)));
  }

  test("reset in the middle of buckets: their first beats are forgotten", () =>
    runBench("walk reset", dut(16), {}, async b => {
      // Two beats of four for every miss, then a reset.
      for (let i = 0; i < 2 * misses; i++) {
        poke(b.io.r.payload, { data: (1n << 128n) - 1n, id: 1 + (i % misses), resp: 2, last: 0 });
        b.io.r.valid.value = 1;
        await b.risingEdge();
      }
      b.io.r.valid.value = 0;
      b.sim.reset(1);
      await run(b, 16, 100, 0.3, 1);
    }));

  /** The last beat of a bucket so many cycles before a reset: nothing is told of it after the reset. */
  const atLast = async (b: Bench<Ports>): Promise<void> => {
    for (let before = 0; before < 3; before++) {
      for (let i = 0; i < 4; i++) {
        poke(b.io.r.payload, { data: 0n, id: 1, resp: 0, last: i === 3 ? 1 : 0 });
        b.io.r.valid.value = 1;
        if (i < 3) await b.risingEdge();
      }
      for (let i = 0; i < before; i++) {
        await b.risingEdge();
        b.io.r.valid.value = 0;
      }
      b.sim.reset(1);
      b.io.r.valid.value = 0;
      for (let i = 0; i < 5; i++) {
        await b.risingEdge();
        expect(b.io.walked.valid.value, `${before} cycles before the reset`).toBe(0);
      }
    }
  };
  testOfResets(dut(16), {}, b => run(b, 16, 100, 0.3, 1));
  test("reset as a bucket ends: it is not told", () => runBench("walk at last", dut(16), {}, atLast));
  test("a planted fault is found: the answer stays through a reset", () =>
    findsFault(runBench("walk at last", plant(dut(16), /\bdone <= 1'b0;/, ""), { wave: false }, atLast), /reset/));

  for (const beatBytes of [8, 64] as const) {
    test(`${beatBytes * 8} bits: one cycle to the address, two from the last beat, a fetch per cycle (per ${bucketBytes / beatBytes} below 512 bits)`, () =>
      runBench("walk timing", dut(beatBytes), {}, async b => {
        const memory = new SparseMemory(),
          [bucket] = randomBuckets(geometryOf(parameterSets[beatBytes]), b.random, memory, 1),
          beats = bucketBytes / beatBytes,
          L = 20;
        new AxiRam(b.sim, { ar: b.io.ar, r: b.io.r, ...noWrites(beatBytes) } as never, { latency: L, memory });
        const fetch = new StreamSource(b.sim, b.io.fetch),
          at: number[] = [],
          walked: number[] = [];
        b.onEdge({
          sample: cycle => {
            if (b.io.ar.valid.value && b.io.ar.ready.value) at.push(cycle);
            if (b.io.walked.valid.value) walked.push(cycle);
          },
        });
        const sent = Array.from({ length: misses }, (_, miss) =>
          fetch.send({ miss, index: bucket?.index ?? 0, tag: bucket?.entries[0]?.tag ?? 0n }),
        );
        await b.until(() => walked.length === misses);
        const start = sent[0]?.cycle ?? 0;
        expect(at.map(c => c - start)).toEqual(Array.from({ length: misses }, (_, i) => 1 + i));
        expect(walked.map(c => c - start)).toEqual(
          Array.from({ length: misses }, (_, i) => 1 + L + (i + 1) * beats - 1 + 2),
        );
      }));
  }

  describe("planted faults are caught", () => {
    const caught = (name: string, beatBytes: BeatBytes, from: string | RegExp, to: string): void => {
      test(name, () =>
        findsFault(
          runBench("walk planted", plant(dut(beatBytes), from, to), { wave: false }, b =>
            run(b, beatBytes, 800, 0, misses),
          ),
          /walk of miss/,
        ),
      );
    };
    caught("fault 3: a beat is compared with the tag of the beat before it", 64, "wanted[coming]", "wanted[miss]");
    caught("fault 3: beats of several buckets share what was found", 16, /if \(miss == 3'd\d\)/, "if (1'b1)");
    caught(
      "an entry that is not allocated matches",
      64,
      /wire entries_allocated = [^;]*;/,
      "wire entries_allocated = 1'b1;",
    );
  });
});
