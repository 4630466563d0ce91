import { expect, test } from "vitest";
import { EntryExchange } from "../../../../../designs/clio/rtl/slow-path/entry-exchange.ts";
import {
  axiPorts,
  AxiRam,
  type AxiRamOptions,
  type Bench,
  bernoulli,
  type Design,
  legalMemories,
  never,
  type Pause,
  runBench,
  SparseMemory,
  StreamSink,
  StreamSource,
} from "../../../../../sim/index.ts";
import { findsFault, plant } from "../../../../support/plant.ts";

const bus = (beatBytes: number) => ({ addressBits: 20, idBits: 4, beatBytes });
const dut = (beatBytes: number) => EntryExchange(bus(beatBytes));
type Latency = number | { readonly read: number; readonly write: number };
/** Reads that overtake writes, if they are let. */
const slowWrites = { read: 3, write: 60 };
type Ports = ReturnType<typeof dut>["ports"];

/**
 * The node and the processor at the same entries, random times, every value written once. If an exchange is one step,
 * the order is that of the handshakes. The node's addresses taken before an exchange ended stand before it. So each old
 * value, and what stands at the end, can be told exactly.
 */
async function run(
  b: Bench<Ports>,
  beatBytes: number,
  pause: () => Pause,
  latency: Latency,
  ram: AxiRamOptions,
): Promise<{ readonly slowest: number }> {
  const { io } = b,
    memory = new SparseMemory();
  new AxiRam(b.sim, axiPorts(io, "m"), {
    memory,
    latency,
    jitter: 9,
    outOfOrder: true,
    pause: { aw: pause(), w: pause(), b: pause(), ar: pause(), r: pause() },
    ...ram,
  });
  const aw = new StreamSource(b.sim, io.sAw, { pause: pause() }),
    w = new StreamSource(b.sim, io.sW, { pause: pause() }),
    ar = new StreamSource(b.sim, io.sAr, { pause: pause() });
  const answers = new StreamSink(b.sim, io.sB, { pause: pause() }),
    reads = new StreamSink(b.sim, io.sR, { pause: pause() });
  const exchange = new StreamSource(b.sim, io.exchange),
    exchanged = new StreamSink(b.sim, io.exchanged);
  const size = Math.log2(beatBytes),
    entries = 4,
    rounds = 60,
    lanes = beatBytes / 8;

  const events: {
    readonly cycle: () => number;
    readonly entry: number;
    readonly value: bigint;
    readonly old?: bigint;
  }[] = [];
  const addressOf = (e: number): number => 4096 + e * 8 * (2 * lanes + 1);
  let writes = 0,
    wantedReads = 0,
    next = 1n,
    slowest = 0;
  b.spawn(async () => {
    for (let i = 0; i < 6 * rounds; i++) {
      const e = b.random.between(0, entries - 1),
        address = addressOf(e),
        value = next++,
        lane = (address % beatBytes) / 8;
      const taken = aw.send({ addr: address - (address % beatBytes), id: 1 + e, len: 0, size, burst: 1 });
      w.send({ data: value << BigInt(64 * lane), strb: 0xffn << BigInt(8 * lane), last: 1 });
      events.push({ cycle: () => taken.cycle ?? 0, entry: e, value });
      writes++;
      if (b.random.chance(0.5)) {
        const beats = b.random.between(1, 4);
        ar.send({ addr: 8192, id: 9, len: beats - 1, size, burst: 1 });
        wantedReads += beats;
      }
      await b.cycles(b.random.between(1, 25));
    }
  });
  for (let i = 0; i < rounds; i++) {
    const e = b.random.between(0, entries - 1),
      value = next++,
      from = b.cycle;
    exchange.send({ address: addressOf(e), bits: value });
    await b.until(() => exchanged.received.length === i + 1);
    slowest = Math.max(slowest, b.cycle - from);
    const told = exchanged.received[i];
    if (!told) throw new Error("no answer");
    events.push({ cycle: () => told.cycle, entry: e, value, old: told.value });
    await b.cycles(b.random.between(1, 40));
  }
  await b.until(
    () => writes === 6 * rounds && answers.received.length === writes && reads.received.length === wantedReads,
  );
  const stands = Array.from({ length: entries }, () => 0n);
  for (const { entry, value, old } of events.sort((x, y) => x.cycle() - y.cycle())) {
    if (old !== undefined) expect(old, `entry ${entry}: what the exchange found`).toBe(stands[entry]);
    stands[entry] = value;
  }
  for (const [e, value] of stands.entries()) {
    const around = new DataView(memory.read(addressOf(e) - 8, 24).slice().buffer);
    expect(
      [0, 8, 16].map(at => around.getBigUint64(at, true)),
      `entry ${e} at the end, and its neighbours`,
    ).toEqual([0n, value, 0n]);
  }
  return { slowest };
}
const bench = (
  beatBytes: number,
  pause: () => Pause,
  latency: Latency,
  design: Design<Ports> | ReturnType<typeof dut> = dut(beatBytes),
  ram: AxiRamOptions = {},
) =>
  runBench("entry-exchange", design, { hangCycles: 5_000, wave: false }, b => run(b, beatBytes, pause, latency, ram));
let seed = 0;
const stalls = (): Pause => bernoulli(0.3, ++seed);

test("64 bits, no stall", async () => {
  expect((await bench(8, () => never, 5)).slowest).toBeLessThan(200);
});
test("64 bits, stalls everywhere", () => bench(8, stalls, 20));
test("512 bits, stalls everywhere", () => bench(64, stalls, 20));
test.each(Object.entries(legalMemories))("64 bits, a memory with %s", async (_, memory) => {
  await bench(8, () => never, 12, dut(8), memory);
  await bench(8, stalls, 20, dut(8), memory);
});
test("64 bits, a memory that is slow to write", () => bench(8, stalls, slowWrites));
test.each([
  ["writes under way are not waited for", "(writes == 10'd0)", "(writes != 10'd1023)"],
  ["the node's addresses pass all the time", "s_aw_valid & ~aw_closed", "s_aw_valid"],
] as const)("a fault: %s", async (_what, from, to) => {
  await findsFault(bench(8, stalls, slowWrites, plant(dut(8), from, to)));
});
