import { expect, test } from "vitest";
import { makeSettings, parametersOf } from "../../../../../designs/clio/config/index.ts";
import { socPortGeometry, socPortMap } from "../../../../../designs/clio/registers/index.ts";
import { SocPort } from "../../../../../designs/clio/rtl/slow-path/soc-port.ts";
import { registerDriver } from "../../../../../hdl-dsl/index.ts";
import {
  AxisSink,
  AxisSource,
  type Bench,
  bernoulli,
  type Design,
  LiteMaster,
  never,
  type Pause,
  runBench,
  StreamSink,
  StreamSource,
} from "../../../../../sim/index.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { testOfResets } from "../../../../support/reset-any-time.ts";

const build = (set: Record<string, unknown>) => {
  const { config } = makeSettings({ slowPathRing: 4, ...set });
  return { config, g: socPortGeometry(config), dut: () => SocPort(parametersOf(config)) };
};
const small = build({ dataWidth: 64, pageSize: 4096, physicalMemory: 2 ** 24 }),
  wide = build({ dataWidth: 512 });
type Build = typeof small;
type B = Bench<ReturnType<Build["dut"]>["ports"]>;

function surroundings(b: B, pause: () => Pause = () => never) {
  const lite = new LiteMaster(b.sim, b.io),
    port = registerDriver(socPortMap, lite);
  const from = new AxisSource(b.sim, b.io.socRx, { pause: pause() }),
    to = new AxisSink(b.sim, b.io.socTx, { pause: pause() });
  const pages = new StreamSink(b.sim, b.io.freePage, { pause: pause() }),
    shots = new StreamSink(b.sim, b.io.shootdown, { pause: pause() });
  const done = new StreamSource(b.sim, b.io.shootdownDone),
    swaps = new StreamSink(b.sim, b.io.exchange),
    old = new StreamSource(b.sim, b.io.exchanged);
  return { lite, port, from, to, pages, shots, done, swaps, old };
}
type S = ReturnType<typeof surroundings>;

const frameOf = (b: B, max: number): Uint8Array =>
  b.random.bytes(b.random.pick([1, 3, 4, 5, 60, 63, 64, 65, 128, max, b.random.between(1, max)]));
async function takeOne({ lite, port }: S, g: Build["g"], count: number): Promise<Uint8Array> {
  const length = await port.read("rxLength"),
    words = new Uint32Array(Math.ceil(length / 4));
  for (let i = 0; i < words.length; i++) words[i] = await lite.read(g.rxBase + (count % g.slots) * g.slotBytes + 4 * i);
  await port.write({ rxTail: (count + 1) & 0xffff });
  return new Uint8Array(words.buffer).slice(0, length);
}
async function giveOne({ lite, port }: S, g: Build["g"], count: number, frame: Uint8Array): Promise<void> {
  const words = new Uint8Array(4 * Math.ceil(frame.length / 4));
  words.set(frame);
  for (const [i, w] of new Uint32Array(words.buffer).entries())
    await lite.write(g.txBase + (count % g.slots) * g.slotBytes + 4 * i, w);
  await port.write({ txCommit: frame.length });
}

/** Random frames both ways at once, software in no hurry: every frame whole and in order. */
async function traffic(b: B, { config, g }: Build, frames: number, pause: () => Pause): Promise<void> {
  const s = surroundings(b, pause),
    sent: Uint8Array[] = [],
    taken: Uint8Array[] = [],
    given: Uint8Array[] = [],
    left: Uint8Array[] = [];
  for (let i = 0; i < frames; i++) {
    const f = frameOf(b, config.mtuFrame);
    sent.push(f);
    s.from.send(f);
  }
  let fullSeen = 0;
  while (taken.length < frames || given.length < frames) {
    if (taken.length < frames && (await s.port.read("rxWaiting")) === 1) {
      if ((((await s.port.read("rxHead")) - taken.length) & 0xffff) === g.slots) fullSeen++;
      taken.push(await takeOne(s, g, taken.length));
    }
    if (given.length < frames && ((given.length - (await s.port.read("txTail"))) & 0xffff) < g.slots) {
      const f = frameOf(b, config.mtuFrame);
      await giveOne(s, g, given.length, f);
      given.push(f);
    }
  }
  await b.until(() => {
    for (let f = s.to.take(); f; f = s.to.take()) left.push(f.bytes);
    return left.length === frames;
  });
  expect(taken).toEqual(sent);
  expect(left).toEqual(given);
  expect(fullSeen, "the receive ring was full at times").toBeGreaterThan(0);
  expect(await s.port.read("refused")).toBe(0);
}
const run = (
  x: Build,
  body: (b: B) => Promise<void>,
  design: Design<ReturnType<Build["dut"]>["ports"]> | ReturnType<Build["dut"]> = x.dut(),
) => runBench("soc-port", design, { hangCycles: 20_000, wave: false }, body);
let seed = 0;
const stalls = (): Pause => bernoulli(0.4, ++seed);

test("frames both ways, 64 bits", () => run(small, b => traffic(b, small, 24, () => never)));
test("frames both ways, 64 bits, with back-pressure everywhere", () => run(small, b => traffic(b, small, 24, stalls)));
test("frames both ways, 512 bits, with back-pressure", () => run(wide, b => traffic(b, wide, 16, stalls)));

testOfResets(small.dut(), { most: 1500 }, b => traffic(b, small, 24, stalls));

/** Reads without a wait for the answers, of a frame's words and of a register by turns, which take different times. */
async function readsInOrder(b: B): Promise<void> {
  const from = new AxisSource(b.sim, b.io.socRx),
    ar = new StreamSource(b.sim, b.io.sAr, { pause: bernoulli(0.2, 1) }),
    r = new StreamSink(b.sim, b.io.sR, { pause: bernoulli(0.5, 2) }),
    frame = b.random.bytes(128),
    words = [...new Uint32Array(frame.slice().buffer)];
  from.send(frame);
  await from.drained();
  await b.cycles(20);
  const wanted = words.flatMap((word, i) => {
    ar.send({ addr: small.g.rxBase + 4 * i, prot: 0 });
    ar.send({ addr: 0, prot: 0 });
    return [word, 0x50534c43];
  });
  await b.until(() => r.received.length >= wanted.length);
  await b.cycles(20);
  expect(r.received.map(x => [x.value.data, x.value.resp])).toEqual(wanted.map(w => [w, 0]));
}
test("reads one behind the other are answered in their order", () => run(small, readsInOrder));
test("a planted fault is found: a read is taken beside another", () =>
  findsFault(
    run(
      small,
      readsInOrder,
      plant(small.dut(), /s_ar_ready = read_open_ready & ~reading/, "s_ar_ready = read_open_ready | ~reading"),
    ),
  ));

test("full rings: the hardware waits, software is refused and told; the counts do not move", () =>
  run(small, async b => {
    const s = surroundings(b),
      { slots } = small.g,
      frames = Array.from({ length: slots + 2 }, (_, i) => Uint8Array.from({ length: 70 }, (_, k) => i + k));
    for (const f of frames) s.from.send(f);
    await b.cycles(200);
    expect([await s.port.read("rxHead"), b.io.socRx.ready.value, s.from.pending]).toEqual([slots, 0, 2]);
    expect(await takeOne(s, small.g, 0)).toEqual(frames[0]);
    await b.cycles(40);
    expect([await s.port.read("rxHead"), s.from.pending]).toEqual([slots + 1, 1]);

    s.to.pause = () => true;
    for (let i = 0; i < slots; i++) await giveOne(s, small.g, i, frames[i] as Uint8Array);
    expect([await s.port.read("txHead"), await s.port.read("refused")]).toEqual([slots, 0]);
    await s.port.write({ txCommit: 60 });
    expect([await s.port.read("txHead"), await s.port.read("txTail"), await s.port.read("refused")]).toEqual([
      slots,
      0,
      1,
    ]);
    await s.port.write({ refused: 1 });
    expect(await s.port.read("refused")).toBe(0);
    s.to.pause = never;
    await b.until(() => s.to.frames.length === slots);
    expect(s.to.frames.map(f => f.bytes)).toEqual(frames.slice(0, slots));
    expect(await s.port.read("txTail")).toBe(slots);
  }));

test("a frame that is handed over leaves 3 cycles later, a beat per cycle", () =>
  run(small, async b => {
    const s = surroundings(b),
      frame = b.random.bytes(8 * 12);
    let ordered = 0;
    b.onEdge({
      sample: cycle => {
        if (b.io.sW.valid.value === 1 && b.io.sW.ready.value === 1) ordered = cycle;
      },
    });
    await giveOne(s, small.g, 0, frame);
    await b.until(() => s.to.frames.length === 1);
    const f = s.to.frames[0];
    if (!f) throw new Error("no frame");
    expect(f.end - f.start).toBe(11);
    // The store's way to the register first: two stages of the port's and two of the registers'.
    expect(f.start - ordered).toBeLessThanOrEqual(7);
  }));

test("pages, shootdowns and exchanges: one of each at a time, in full, and the states tell", () =>
  run(small, async b => {
    const s = surroundings(b);
    b.io.freePages.value = 5;
    expect(await s.port.read("freePagesHeld")).toBe(5);
    s.pages.pause = () => true;
    await s.port.write({ freePage: 0xabc, freePageGo: 1 });
    expect(await s.port.read("freePageIdle")).toBe(0);
    await s.port.write({ freePage: 0xdef, freePageGo: 1 });
    expect(await s.port.read("refused")).toBe(1);
    await s.port.write({ refused: 1 });
    s.pages.pause = never;
    await b.until(() => s.pages.received.length === 1);
    expect([s.pages.received[0]?.value, await s.port.read("freePageIdle")]).toEqual([0xabc, 1]);

    const vpn = 0x12_3456_789an & ((1n << BigInt(small.config.vpnBits)) - 1n);
    await s.port.write({ shootdownPid: 77 });
    await s.port.write({ shootdownVpnLow: Number(vpn & 0xffff_ffffn) });
    await s.port.write({ shootdownVpnHigh: Number(vpn >> 32n), shootdownGo: 1 });
    await b.until(() => s.shots.received.length === 1);
    expect(s.shots.received[0]?.value.pid).toBe(77);
    expect(BigInt(s.shots.received[0]?.value.vpn ?? 0)).toBe(vpn);
    expect(await s.port.read("shootdownIdle")).toBe(0);
    await s.port.write({ shootdownGo: 1 });
    expect(await s.port.read("refused")).toBe(1);
    s.done.send(1);
    await s.done.drained();
    expect([await s.port.read("shootdownIdle"), s.shots.received.length]).toEqual([1, 1]);

    await s.port.write({ exchangeLow: 0x1230 });
    await s.port.write({ newEntryLow: 0x89abcdef });
    await s.port.write({ newEntryHigh: 0x01234567 });
    await s.port.write({ exchangeGo: 1 });
    await b.until(() => s.swaps.received.length === 1);
    expect(s.swaps.received[0]?.value.address).toBe(0x1230);
    expect(BigInt(s.swaps.received[0]?.value.bits ?? 0)).toBe(0x0123456789abcdefn);
    expect(await s.port.read("exchangeIdle")).toBe(0);
    s.old.send({ old: 0xfedcba9876543210n, readFailed: 1, writeFailed: 0 });
    await s.old.drained();
    expect([
      await s.port.read("exchangeIdle"),
      await s.port.read("oldEntryLow"),
      await s.port.read("oldEntryHigh"),
      await s.port.read("exchangeReadFailed"),
      await s.port.read("exchangeWriteFailed"),
    ]).toEqual([1, 0x76543210, 0xfedcba98, 1, 0]);
    await s.port.write({ exchangeGo: 1 });
    await b.until(() => s.swaps.received.length === 2);
    s.old.send({ old: 1n, readFailed: 0, writeFailed: 1 });
    await s.old.drained();
    expect([await s.port.read("exchangeReadFailed"), await s.port.read("exchangeWriteFailed")]).toEqual([0, 1]);
  }));

/** Orders that wait, while software prepares the next ones: each leaves as it was given. */
async function ordersStand(b: B): Promise<void> {
  const s = surroundings(b),
    all = [s.pages, s.shots, s.swaps];
  for (let round = 1; round < 4; round++) {
    const word = (): number => b.random.word(),
      page = b.random.between(1, 0xfff),
      low = 8 * b.random.between(1, 1000),
      [entryLow, entryHigh, pid, vpnLow] = [word(), word(), b.random.between(1, 0xffff), b.random.between(0, 0xfffff)];
    for (const x of all) x.pause = () => true;
    await s.port.write({ freePage: page, freePageGo: 1 });
    await s.port.write({ shootdownPid: pid });
    await s.port.write({ shootdownVpnLow: vpnLow });
    await s.port.write({ shootdownVpnHigh: 0, shootdownGo: 1 });
    await s.port.write({ exchangeLow: low });
    await s.port.write({ newEntryLow: entryLow });
    await s.port.write({ newEntryHigh: entryHigh });
    await s.port.write({ exchangeGo: 1 });
    await s.port.write({ freePage: page ^ 5 });
    await s.port.write({ shootdownPid: pid ^ 5 });
    await s.port.write({ shootdownVpnLow: vpnLow ^ 5 });
    await s.port.write({ exchangeLow: low ^ 8 });
    await s.port.write({ newEntryLow: (entryLow ^ 5) >>> 0 });
    await s.port.write({ newEntryHigh: (entryHigh ^ 5) >>> 0 });
    for (const x of all) x.pause = never;
    await b.until(() => all.every(x => x.received.length === round));
    const [given, shot, swap] = [s.pages, s.shots, s.swaps].map(x => x.received.at(-1)?.value) as [
      number,
      Readonly<Record<"pid" | "vpn", number | bigint>>,
      Readonly<Record<"address" | "bits", number | bigint>>,
    ];
    expect([given, shot.pid, BigInt(shot.vpn)], "page and shootdown").toEqual([page, pid, BigInt(vpnLow)]);
    expect([swap.address, BigInt(swap.bits)], "exchange").toEqual([
      low,
      (BigInt(entryHigh >>> 0) << 32n) | BigInt(entryLow >>> 0),
    ]);
    s.done.send(1);
    s.old.send({ old: 1n, readFailed: 0, writeFailed: 0 });
    await b.until(() => s.done.pending + s.old.pending === 0);
  }
}
test("an order that waits is as it was given", () => run(small, ordersStand));
test.each([
  [
    "the bits of an exchange",
    /(?<=assign exchange_payload_bits = )[^;]*/,
    "{registers_new_entry_high, registers_new_entry_low}",
  ],
  ["the page", /(?<=assign free_page_payload = )[^;]*/, "registers_free_page[11:0]"],
] as const)("a fault: %s follow the registers", async (_what, from, to) => {
  await findsFault(run(small, ordersStand, plant(small.dut(), from, to)), /page and shootdown|exchange|free_page/);
});

test("the interrupt follows the states that are enabled", () =>
  run(small, async b => {
    const s = surroundings(b);
    await b.cycles(10);
    expect(b.io.irq.value).toBe(0);
    s.from.send(new Uint8Array(60));
    await b.cycles(40);
    expect(b.io.irq.value, "nothing is enabled").toBe(0);
    await s.port.write({ interruptEnable: 1 });
    await b.cycles(2);
    expect(b.io.irq.value).toBe(1);
    await takeOne(s, small.g, 0);
    await b.cycles(2);
    expect(b.io.irq.value).toBe(0);
    await s.port.write({ interruptEnable: 2 });
    b.io.lowWater.value = 1;
    await b.cycles(2);
    expect(b.io.irq.value).toBe(1);
  }));

test("stores that are no whole words, and what nobody has, are answered with errors; a reset empties the rings", () =>
  run(small, async b => {
    const s = surroundings(b);
    await expect(s.lite.read(small.g.txBase)).rejects.toThrow("DECERR");
    await expect(s.lite.write(small.g.rxBase, 1)).rejects.toThrow("DECERR");
    await expect(s.lite.write(0, 1)).rejects.toThrow("SLVERR");
    await expect(s.lite.read(0xfc)).rejects.toThrow("DECERR");
    s.from.send(new Uint8Array(60));
    await b.cycles(40);
    expect(await s.port.read("rxHead")).toBe(1);
    b.sim.reset(4);
    await b.cycles(4);
    expect([await s.port.read("rxHead"), await s.port.read("rxWaiting"), await s.port.read("interruptEnable")]).toEqual(
      [0, 0, 0],
    );
  }));

test.each([
  [
    "the receive ring takes one frame too many",
    "(rx_head - registers_rx_tail) != 16'd4",
    "(rx_head - registers_rx_tail) != 16'd5",
  ],
  ["the last beat's length forgets its lane", /rx_lengths\[.*\] <= .*;/, "rx_lengths[0] <= 14'd8;"],
] as const)("a fault: %s", async (_what, from, to) => {
  await findsFault(run(small, b => traffic(b, small, 24, () => never), plant(small.dut(), from, to)));
});
