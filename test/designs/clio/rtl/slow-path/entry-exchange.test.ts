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
import { testOfResets } from "../../../../support/reset-any-time.ts";

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
    expect([told.value.readFailed, told.value.writeFailed]).toEqual([0, 0]);
    events.push({ cycle: () => told.cycle, entry: e, value, old: told.value.old });
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
testOfResets(dut(8), {}, b => run(b, 8, stalls, 20, {}));
test("512 bits, stalls everywhere", () => bench(64, stalls, 20));
test.each(Object.entries(legalMemories))("64 bits, a memory with %s", async (_, memory) => {
  await bench(8, () => never, 12, dut(8), memory);
  await bench(8, stalls, 20, dut(8), memory);
});
test("64 bits, a memory that is slow to write", () => bench(8, stalls, slowWrites));
/**
 * Exchanges at places where the memory refuses reads, writes or nothing. The node's accesses go on between them, and
 * end well or badly: the next exchange waits for none of them for longer.
 */
async function refused(b: Bench<Ports>): Promise<void> {
  const { io } = b,
    refuses = { read: false, write: false };
  const exchange = new StreamSource(b.sim, io.exchange),
    exchanged = new StreamSink(b.sim, io.exchanged),
    ar = new StreamSource(b.sim, io.sAr),
    aw = new StreamSource(b.sim, io.sAw),
    w = new StreamSource(b.sim, io.sW),
    reads = new StreamSink(b.sim, io.sR),
    written = new StreamSink(b.sim, io.sB);
  const ofNode = (): number => b.random.pick([0, 2, 3]);
  const asked = {
      ar: new StreamSink(b.sim, io.mAr),
      aw: new StreamSink(b.sim, io.mAw),
      w: new StreamSink(b.sim, io.mW),
    },
    answers = { r: new StreamSource(b.sim, io.mR), b: new StreamSource(b.sim, io.mB) };
  b.spawn(async () => {
    for (let [ars, aws] = [0, 0]; ;) {
      const heard = (): boolean =>
        asked.ar.received.length > ars || Math.min(asked.aw.received.length, asked.w.received.length) > aws;
      await b.until(heard);
      if (asked.ar.received.length > ars) {
        const id = asked.ar.received[ars++]?.value.id ?? 0;
        answers.r.send({ id, data: 77n, resp: id === 0 ? (refuses.read ? 2 : 0) : ofNode(), last: 1 });
      } else {
        const id = asked.aw.received[aws++]?.value.id ?? 0;
        answers.b.send({ id, resp: id === 0 ? (refuses.write ? 3 : 0) : ofNode() });
      }
    }
  });
  for (const [read, write] of [
    [false, false],
    [true, false],
    [false, true],
    [true, true],
    [false, false],
  ] as const) {
    Object.assign(refuses, { read, write });
    const n = exchanged.received.length,
      writes = asked.aw.received.length;
    exchange.send({ address: 4096, bits: 5n });
    await b.until(() => exchanged.received.length === n + 1);
    const told = exchanged.received[n]?.value;
    expect([told?.readFailed, told?.writeFailed]).toEqual([+read, +(write && !read)]);
    if (!read) expect(told?.old).toBe(77n);
    expect(asked.aw.received.length - writes, "nothing is written after a read that failed").toBe(read ? 0 : 1);
    const had = reads.received.length + 6;
    for (let i = 0; i < 6; i++) {
      ar.send({ addr: 8192, id: 9, len: 0, size: 3, burst: 1 });
      aw.send({ addr: 8192, id: 9, len: 0, size: 3, burst: 1 });
      w.send({ data: 1n, strb: 255n, last: 1 });
    }
    await b.until(() => reads.received.length === had && written.received.length === had);
  }
}
const errors = (design: Design<Ports> | ReturnType<typeof dut>) =>
  runBench("entry-exchange errors", design, { hangCycles: 2000, wave: false }, refused);
test("errors of the memory are told, and the node goes on", () => errors(dut(8)));
test.each([
  ["the read's error is not looked at", /\|m_r_payload_resp/, "1'b0"],
  ["the write's error is not looked at", /\|m_b_payload_resp/, "1'b0"],
  [
    "a read of the node that failed stays under way",
    /(?<=s_r_valid & s_r_ready & s_r_payload_last)/,
    " & ~(|s_r_payload_resp)",
  ],
  ["a write of the node that failed stays under way", /(?<=s_b_valid & s_b_ready)/, " & ~(|s_b_payload_resp)"],
] as const)("a fault: %s", async (_what, from, to) => {
  await findsFault(errors(plant(dut(8), from, to)));
});
test.each([
  ["writes under way are not waited for", "(writes == 10'd0)", "(writes != 10'd1023)"],
  ["the node's addresses pass all the time", "s_aw_valid & ~aw_closed", "s_aw_valid"],
] as const)("a fault: %s", async (_what, from, to) => {
  await findsFault(bench(8, stalls, slowWrites, plant(dut(8), from, to)));
});
