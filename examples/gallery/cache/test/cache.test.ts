import { emit } from "mnemosyne";
import {
  axiPorts,
  AxiRam,
  type AxiRamOptions,
  type Bench,
  bernoulli,
  BuildError,
  type Dut,
  legalMemories,
  never,
  runBench,
  StreamSink,
  StreamSource,
  withFault,
} from "mnemosyne/sim";
import { describe, expect, test } from "vitest";
import { Cache } from "../src/cache.ts";
import { CacheModel } from "./model.ts";

const sizes = { addressBits: 20, wordBytes: 8, lineWords: 4, sets: 8, ways: 4 },
  cache = Cache(sizes),
  lineBytes = sizes.wordBytes * sizes.lineWords;
type CacheBench = Bench<typeof cache.ports>;

const run = <T>(dut: Dut<typeof cache.ports>, seed: number, body: (b: CacheBench) => Promise<T>): Promise<T> =>
  runBench("cache", dut, { seed, wave: false, hangCycles: 2000, limitCycles: 100_000 }, body);

const number = (bytes: Uint8Array): bigint => bytes.reduceRight((v, x) => v * 256n + BigInt(x), 0n);
const fewLatencies: AxiRamOptions = { latency: 4 };

/** The processor, the bytes that it should see, and memory. */
function machine(b: CacheBench, size: { sets: number; ways: number } = sizes, options = fewLatencies, pause = 0) {
  const paused = (n: number) => (pause === 0 ? never : bernoulli(pause, b.seed + n)),
    ram = new AxiRam(b.sim, axiPorts(b.io, "m"), {
      ...options,
      pause: { aw: paused(3), w: paused(4), b: paused(5), ar: paused(6), r: paused(7) },
    });
  const requests = new StreamSource(b.sim, b.io.request, { pause: paused(1) }),
    answers = new StreamSink(b.sim, b.io.answer, { pause: paused(2) }),
    bytes = new Map<number, number>(),
    model = new CacheModel({ ...size, lineBytes });
  const word = (address: number): Uint8Array => Uint8Array.from({ length: 8 }, (_, i) => bytes.get(address + i) ?? 0);
  return {
    ram,
    model,
    answers,
    requests,
    /** Bytes that memory has from the begin. */
    put(address: number, content: Uint8Array): void {
      ram.write(address, content);
      for (const [i, v] of content.entries()) bytes.set(address + i, v);
    },
    /** A request to its end. @returns whether it was refused, and the cycles from its taking to its answer */
    async ask(kind: "read" | "write" | "flush", address = 0, data: Uint8Array = new Uint8Array(8), strobe = 0) {
      const sent = requests.send({ kind, address, data: number(data), strobe }),
        { error, data: seen } = await answers.recv();
      const cycles = b.cycle - (sent.cycle ?? 0);
      if (error === 1) return { error: true, cycles };
      if (kind === "read") expect(seen, `the word at ${address}`).toBe(number(word(address)));
      if (kind === "write")
        for (let i = 0; i < 8; i++) if (((strobe >> i) & 1) === 1) bytes.set(address + i, data[i] ?? 0);
      if (kind === "flush") model.flush();
      else model.use(address, kind === "write");
      return { error: false, cycles };
    },
    /** Memory has every byte, and no access was made that the model does not make. */
    settled(): void {
      expect({ reads: ram.counts.readBursts, writes: ram.counts.writeBursts }).toEqual({
        reads: model.reads,
        writes: model.writes,
      });
      for (const [address, value] of bytes) expect(ram.read(address, 1)[0], `memory at ${address}`).toBe(value);
      expect([ram.idle, answers.received.length]).toEqual([true, 0]);
    },
  };
}

/** Words of few lines that share sets, so that lines come and go; then a flush. */
const traffic = (
  dut: Dut<typeof cache.ports>,
  seed: number,
  count: number,
  options = fewLatencies,
  pause = 0,
): Promise<void> =>
  run(dut, seed, async b => {
    const m = machine(b, sizes, options, pause);
    for (let n = 0; n < count; n++) {
      const tag = b.random.below(6),
        set = b.random.chance(0.7) ? 3 : b.random.below(sizes.sets),
        address = (tag * sizes.sets + set) * lineBytes + 8 * b.random.below(4);
      const kind = b.random.chance(0.01) ? "flush" : b.random.pick(["read", "write"] as const);
      expect((await m.ask(kind, address, b.random.bytes(8), b.random.below(256))).error).toBe(false);
    }
    await m.ask("flush");
    m.settled();
  });

/** Memory refuses some addresses, for a while. */
const refused = (dut: Dut<typeof cache.ports>): Promise<void> =>
  run(dut, 8, async b => {
    const m = machine(b),
      bad = 0x8000,
      same = (n: number): number => bad + n * sizes.sets * lineBytes;
    m.ram.failAt({ from: bad, to: bad + 8 });
    expect((await m.ask("read", bad)).error, "a line that cannot be read").toBe(true);
    expect((await m.ask("read", bad)).error, "nothing of it is cached").toBe(true);
    for (let n = 1; n <= sizes.ways; n++) await m.ask("write", same(n), b.random.bytes(8), 0xff);
    m.ram.failAt({ from: same(1), to: same(1) + lineBytes });
    expect((await m.ask("read", same(sizes.ways + 1))).error, "a line that cannot be written back").toBe(true);
    expect((await m.ask("read", same(1))).error, "is still there, with what was written").toBe(false);
    expect((await m.ask("flush")).error, "a flush that cannot write back").toBe(true);
    expect((await m.ask("flush")).error, "and does not forget that it has to").toBe(true);
    expect((await m.ask("read", same(1))).error).toBe(false);

    // A set that is full of lines that memory has: one of them has given way to the line that cannot be read.
    const others = Array.from({ length: sizes.ways }, (_, n) => same(n + 10) + lineBytes);
    for (const at of others) m.put(at, b.random.bytes(lineBytes));
    for (const at of others) await m.ask("read", at);
    m.ram.failAt({ from: same(30) + lineBytes + 24, to: same(30) + 2 * lineBytes });
    m.ram.write(same(30) + lineBytes, b.random.bytes(lineBytes));
    expect((await m.ask("read", same(30) + lineBytes)).error).toBe(true);
    for (const at of others) for (let word = 0; word < lineBytes; word += 8) await m.ask("read", at + word);
  });

describe("the cache", () => {
  test.each([
    [1, 0],
    [2, 0.3],
    [3, 0.6],
  ])("random requests, seed %d, pauses %d: every word, every access to memory", (seed, pause) =>
    traffic(cache, seed, 300, fewLatencies, pause),
  );
  test.each(Object.entries(legalMemories))("memory of every legal order: %s", (_name, options) =>
    traffic(cache, 4, 80, { latency: 8, ...options }, 0.2),
  );
  test("other sizes: 2 ways, 3 ways, 16 words a line", async () => {
    for (const size of [
      { ...sizes, ways: 2, sets: 2 },
      { ...sizes, ways: 3, sets: 4, lineWords: 16 },
    ])
      await run(Cache(size), 5, async b => {
        const ram = new AxiRam(b.sim, axiPorts(b.io, "m"), fewLatencies),
          requests = new StreamSource(b.sim, b.io.request),
          answers = new StreamSink(b.sim, b.io.answer);
        const words = new Map<number, bigint>();
        for (let n = 0; n < 200; n++) {
          const address = 8 * b.random.below(600),
            data = number(b.random.bytes(8)),
            kind = b.random.pick(["read", "write"] as const);
          requests.send({ kind, address, data, strobe: 0xff });
          const seen = await answers.recv();
          if (kind === "read") expect(seen.data).toBe(words.get(address) ?? 0n);
          else words.set(address, data);
        }
        requests.send({ kind: "flush", address: 0, data: 0n, strobe: 0 });
        await answers.recv();
        for (const [address, data] of words) expect(number(ram.read(address, 8))).toBe(data);
      });
  });
  test("what memory refuses is told, and nothing is lost", () => refused(cache));

  test("a hit takes a cycle, the next request is taken a cycle later; reset forgets in `sets` cycles", () =>
    run(cache, 6, async b => {
      const m = machine(b);
      await m.ask("read", 64);
      for (let n = 0; n < 5; n++) expect((await m.ask(b.random.pick(["read", "write"]), 72)).cycles).toBe(1);
      const sent = Array.from({ length: 10 }, () =>
        m.requests.send({ kind: "read", address: 64, data: 0n, strobe: 0 }),
      );
      await b.until(() => m.answers.received.length === sent.length);
      m.answers.received.splice(0);
      expect(sent.slice(1).map((s, i) => (s.cycle ?? 0) - (sent[i]?.cycle ?? 0))).toEqual(sent.slice(1).map(() => 2));

      await m.ask("write", 128, b.random.bytes(8), 0xff);
      const before = m.ram.counts.readBursts;
      b.sim.reset(1);
      const from = b.cycle;
      await b.risingEdge();
      await b.until(() => b.io.request.ready.value === 1);
      expect(b.cycle - from).toBe(sizes.sets + 1);
      m.requests.send({ kind: "read", address: 128, data: 0n, strobe: 0 });
      expect((await m.answers.recv()).data, "what was not written back is gone").toBe(0n);
      expect(m.ram.counts.readBursts).toBe(before + 1);
    }));
  test("sizes that cannot be are refused", () => {
    expect(() => emit(Cache({ ...sizes, sets: 6 }))).toThrow("sets = 6: use 2, 4, 8 ...");
    expect(() => emit(Cache({ ...sizes, ways: 1 }))).toThrow("ways = 1: use 2 or more");
  });
});

describe("planted faults are found", () => {
  test.each([
    [
      "a read is no use",
      "(answer_ready ? update_order_joined",
      "(answer_ready & (request_kind == kind_write) ? update_order_joined",
    ],
    ["a write to the third way is forgotten", /record_lines_2_dirty \| \(.*?kind_write\)\)/, "record_lines_2_dirty"],
    ["a line is cached whose first words were refused", "& ~(writes_any | failed)", "& ~writes_any"],
    ["a line is clean that was not written back", "& m_b_ready & ~writes_any &", "& m_b_ready &"],
    ["a line is found of which words are another's", "held_lines_0_valid & ~victim[0]", "held_lines_0_valid"],
    [
      "memory's address is that of the line that comes",
      "assign m_aw_payload_addr = address",
      "assign m_aw_payload_addr = m_ar_payload_addr",
    ],
  ])("a planted fault: %s", async (what, from, to) => {
    const faulty = withFault(cache, { what, from, to });
    const all = async (): Promise<void> => {
      await traffic(faulty, 1, 300);
      await refused(faulty);
    };
    const found = all();
    await expect(found).rejects.toThrow(/expected|no stream has moved/);
    await expect(found).rejects.not.toBeInstanceOf(BuildError);
  });
});
