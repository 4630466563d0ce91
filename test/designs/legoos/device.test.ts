/** The device's ports: registers under strobes and pauses; rights, anonymous memory and evictions over registers. */
import { describe, expect, test } from "vitest";
import { registerDriver } from "../../../hdl-dsl/index.ts";
import { accessBody, clioMessage, opcode, replyCode, status } from "../../../designs/clio/wire/index.ts";
import { encode, udpFrame } from "../../../designs/shared/wire/index.ts";
import { MemoryNodes } from "../../../designs/legoos/model/index.ts";
import { exCacheMap } from "../../../designs/legoos/registers/index.ts";
import { own } from "../../../designs/legoos/rig/index.ts";
import { part, partShift } from "../../../designs/legoos/wire/index.ts";
import { ExCacheControl, ExCacheDevice } from "../../../designs/legoos/rtl/index.ts";
import {
  AxisSink,
  AxisSource,
  type Bench,
  bernoulli,
  type Dut,
  LiteMaster,
  type LitePorts,
  type Random,
  runBench,
  type Simulation,
  StreamSink,
  StreamSource,
} from "../../../sim/index.ts";
import { findsFault, plant } from "../../support/plant.ts";
import { small } from "./traffic.ts";

const low = (v: bigint): number => Number(v & 0xffff_ffffn);
const parameters = small(),
  device = ExCacheDevice(parameters),
  control = ExCacheControl(parameters);
type Ports = typeof device.ports;

/** Registers of 32 bits that software writes and reads back. */
const words = exCacheMap.registers
  .filter(r => r.fields.length === 1 && r.fields.every(f => f.kind === "rw" && f.width === 32))
  .map(r => r.address);

/** Bytes written here and there, all channels pausing: what is read back is what was written. */
async function strobes({
  io,
  sim,
  random: r,
}: {
  readonly io: LitePorts;
  readonly sim: Simulation;
  readonly random: Random;
}): Promise<void> {
  const of = () => ({ pause: bernoulli(0.5, r.word()) }),
    aw = new StreamSource(sim, io.sAw, of()),
    w = new StreamSource(sim, io.sW, of()),
    done = new StreamSink(sim, io.sB, of()),
    ar = new StreamSource(sim, io.sAr, of()),
    data = new StreamSink(sim, io.sR, of()),
    model = new Map(words.map(at => [at, 0]));
  for (let i = 0; i < 30; i++) {
    const count = r.between(1, 4);
    for (let n = 0; n < count; n++) {
      const addr = r.pick(words),
        value = r.word(),
        strb = r.below(16),
        mask = [0, 1, 2, 3].reduce((m, k) => m | ((strb >> k) & 1 ? 0xff << (8 * k) : 0), 0);
      aw.send({ addr, prot: 0 });
      w.send({ data: value, strb });
      model.set(addr, (((model.get(addr) as number) & ~mask) | (value & mask)) >>> 0);
    }
    await sim.until(() => done.received.length === count);
    expect(done.received.splice(0).map(x => x.value.resp)).toEqual(Array.from({ length: count }, () => 0));
    const asked = Array.from({ length: 4 }, () => r.pick(words));
    for (const addr of asked) ar.send({ addr, prot: 0 });
    await sim.until(() => data.received.length === asked.length);
    expect(data.received.splice(0).map(x => x.value.data)).toEqual(asked.map(at => model.get(at)));
  }
}

/** A cache with one node: ranges of each pair of rights, and evictions in the midst of hits. */
async function ranges(b: Bench<Ports>): Promise<void> {
  const { sim, io } = b,
    r = registerDriver(exCacheMap, new LiteMaster(sim, io)),
    ip = 0x0a0a0001,
    mac = 0x02c110000001n,
    nodes = new MemoryNodes(new Map([[ip, mac]])),
    requests = new StreamSource(sim, io.request),
    responses = new StreamSink(sim, io.response, { pause: bernoulli(0.3, 1) }),
    tx = new AxisSink(sim, io.tx, { pause: bernoulli(0.3, 2) }),
    rx = new AxisSource(sim, io.rx, { pause: bernoulli(0.3, 3) });
  b.spawn(async () => {
    for (;;) for (const { frame } of nodes.receive((await tx.recv()).bytes)) rx.send(frame);
  });
  let id = 0;
  const hits = { on: true };
  const send = (line: number, write: boolean): void => {
    requests.send({
      ...{ id: id++ % 16, asid: 1, va: line * parameters.lineBytes, write: write ? 1 : 0 },
      ...{ strb: (1n << 64n) - 1n, data: BigInt(line + 5) },
    });
  };
  const ask = async (line: number, write: boolean): Promise<number> => {
    send(line, write);
    return (await responses.recv()).status;
  };
  while ((await r.read("isReady")) !== 1);
  await r.write({ macLow: low(own.mac), macHigh: Number(own.mac >> 32n), ip: own.ip, port: own.port, firstId: 7 });
  await r.write({ peerMacLow: low(mac), peerMacHigh: Number(mac >> 32n), peerIp: ip, peerPort: 1200, peerAt: 1 });
  await r.write({ setPeer: 1 });
  await r.write({ regionAsid: 1, regionNumber: 0, regionAt: 3, regionKeep: 1, regionNode: 1 });
  await r.write({ setRegion: 1 });
  const range = async (at: number, first: number, writable: number, anonymous: number): Promise<void> => {
    await r.write({ rangeAsid: 1, rangeKeep: 1, rangeAt: at, rangeFirstLow: first, rangeLastLow: first + 3 });
    await r.write({ rangeWritable: writable, rangeAnonymous: anonymous, rangeBase: 8 * at });
    await r.write({ setRange: 1 });
    await b.cycles(8);
  };
  for (const [writable, anonymous] of [
    [1, 0],
    [0, 1],
    [0, 0],
    [1, 1],
  ] as const) {
    const first = 32 + 16 * writable + 8 * anonymous;
    await range(anonymous, first, writable, anonymous);
    const before = nodes.seen.read + nodes.seen.compound;
    const told = [await ask(first, false), await ask(first + 3, true)];
    expect(told, `writable ${writable}, anonymous ${anonymous}`).toEqual([
      status.OK,
      writable === 1 ? status.OK : status.WRITE_PERM,
    ]);
    const asked = nodes.seen.read + nodes.seen.compound - before;
    if (anonymous === 1) expect(asked, "anonymous memory is asked for").toBe(0);
    else expect(asked, "fetches").toBe(2);
  }
  // Every place is emptied, while a line of another set or of the same is hit in each cycle.
  const { sets, ways } = parameters,
    dirty = Array.from({ length: sets * ways }, (_, i) => i);
  for (const line of dirty) expect(await ask(line, true)).toBe(status.OK);
  const reader = (async (): Promise<void> => {
    for (let line = 0; hits.on; line = (line + 1) % 8) {
      send(line, false);
      send(line, false);
      await responses.recv();
      await responses.recv();
    }
  })();
  for (let n = 0; n < 2; n++)
    for (let set = 0; set < sets; set++)
      for (let way = 0; way < ways; way++) {
        await r.write({ evictSet: set, evictWay: way });
        await r.write({ evict: 1 });
        while ((await r.read("isEvicting")) !== 0);
      }
  hits.on = false;
  await reader;
  while ((await r.read("isIdle")) !== 1);
  for (const line of dirty) expect(nodes.has(ip, 1, BigInt(line * parameters.lineBytes)), `line ${line}`).toBe(true);
}
/**
 * Replies that nobody waits for, side by side and more than there is room for: each is taken once, and counted. A count
 * says what came, whatever the line had to wait.
 */
async function strangers(b: Bench<Ports>): Promise<void> {
  const { sim, io, random: r } = b,
    registers = registerDriver(exCacheMap, new LiteMaster(sim, io)),
    rx = new AxisSource(sim, io.rx),
    count = 80,
    waits = { cycles: 0 };
  b.onEdge({ sample: () => void (waits.cycles += io.rx.valid.num & ~io.rx.ready.num) });
  while ((await registers.read("isReady")) !== 1);
  await registers.write({ macLow: low(own.mac), macHigh: Number(own.mac >> 32n), ip: own.ip, port: own.port });
  for (let i = 0; i < count; i++)
    rx.send(
      udpFrame(
        { mac: r.bits(48), ip: r.word(), port: r.below(65536) },
        { mac: own.mac, ip: own.ip, port: own.port },
        clioMessage(
          {
            tag: (part.primary << partShift) | r.below(parameters.misses),
            opcode: replyCode(opcode.WRITE),
            status: status.OK,
            requestId: r.word(),
          },
          encode(accessBody, { va: r.bits(42) << 6n, length: 64 }),
        ),
      ),
    );
  await rx.drained();
  await b.cycles(400);
  expect(waits.cycles, "cycles that the line waits").toBeGreaterThan(50);
  expect(await registers.read("count_ignored")).toBe(count);
}
const run = (name: string, dut: Dut<Ports>, body: (b: Bench<Ports>) => Promise<void>): Promise<void> =>
  runBench(name, dut, { seed: 1, wave: false, limitCycles: 60_000, hangCycles: 8000 }, body);

describe("the device's ports", () => {
  test("registers of the device, byte by byte", () => run("strobes", device, strobes));
  test("registers by themselves, byte by byte", () => runBench("strobes", control, { seed: 2, wave: false }, strobes));
  test("replies that nobody waits for, as fast as they come", () => run("strangers", device, strangers));
  test("ranges of each rights, and evictions in the midst of hits", () => run("ranges", device, ranges));
  test.each<readonly [string, (b: Bench<Ports>) => Promise<void>, string | RegExp, string]>([
    [
      "strobes are not handed through",
      strobes,
      /\.s_w_payload_strb\s*\(s_w_payload_strb\)/,
      ".s_w_payload_strb(4'd15)",
    ],
    ["a frame's beat is taken as the queue is full", strangers, /\.rx_ready\s*\(rx_ready\)/, ".rx_ready ()"],
    [
      "a range's rights are its kind",
      ranges,
      "range_entry_writable <= registers_range_writable;",
      "range_entry_writable <= registers_range_anonymous;",
    ],
  ])("a planted fault: %s", (_, body, from, to) => findsFault(run("fault", plant(device, from, to), body)));
});
