/** Processes with keys: net_rx and the table of keys, as they stand in the node. */
import { describe, expect, test } from "vitest";
import { bit, connect, input, instance, module, output } from "../../../../../hdl-dsl/index.ts";
import { NetRx } from "../../../../../designs/clio/rtl/network/net-rx.ts";
import { netRxPorts } from "../../../../../designs/clio/rtl/network/net-rx/ports.ts";
import { KeyOrder, ProcessKeys } from "../../../../../designs/clio/rtl/network/process-keys.ts";
import { clioHeader, clioMessage, keyTrailer, opcode } from "../../../../../designs/clio/wire/index.ts";
import { concat, encode, encodeInto, ethernetHeader, udpFrame } from "../../../../../designs/shared/wire/index.ts";
import { type Bench, bernoulli, bursts, type Dut, poke, Random, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { anyFrame, clientPorts, mtuFrame, own, randomClient, randomPing } from "./net-frames.ts";
import { type NetRxPorts, netRxSlots as slots, Surroundings } from "./support/net-rx-rig.ts";
import { testOfResets } from "../../../../support/reset-any-time.ts";

interface Build {
  readonly beatBytes: number;
  /** Process IDs below it can have a key. */
  readonly keys: number;
  /** Offloads stand in front. */
  readonly internal?: true;
}
const partsOf = ({ beatBytes, internal }: Build) => ({
  beatBytes,
  slots,
  frameBytes: mtuFrame,
  clientPorts,
  ...(internal && { internal }),
});
/** Both as in the node. */
const Keyed = module(
  "KeyedNetRx",
  (p: Build) => ({ ...netRxPorts(partsOf(p)), order: input(KeyOrder), clearing: output(bit) }),
  (io, p) => {
    const rx = instance("rx_block", NetRx({ ...partsOf(p), keys: true })),
      keys = instance("keys", ProcessKeys({ keys: p.keys }));
    connect(io.rx, rx.rx);
    connect(io.slot, rx.slot);
    rx.config.set(io.config);
    io.bufferWrite.set(rx.bufferWrite);
    io.contextWrite.set(rx.contextWrite);
    connect(rx.request, io.request);
    io.operandsWrite.set(rx.operandsWrite);
    io.release.set(rx.release);
    io.drops.set(rx.drops);
    io.received.set(rx.received);
    keys.order.set(io.order);
    keys.read.set(rx.keyRead);
    rx.key.set(keys.key);
    rx.keysClearing.set(keys.clearing);
    io.clearing.set(keys.clearing);
  },
);
type KeyedBench = Bench<ReturnType<typeof Keyed>["ports"]>;

/** The bench of net_rx's own ports, which are all there. */
const asNetRx = (b: KeyedBench): Bench<NetRxPorts> => b;

/** Processes of the runs: the first and the last with a place in the table, the first without, and one of no number. */
const pidsOf = ({ keys }: Build): readonly number[] =>
  [1, 2, keys - 1, keys, keys + 1, 0, 0xfeff].filter(pid => pid < 0xff00);

/** Gives a key, which counts from the next cycle on. */
async function give(b: KeyedBench, keys: Map<number, bigint>, pid: number, key: bigint, build: Build): Promise<void> {
  poke(b.io.order, { write: 1, pid, key });
  await b.risingEdge();
  poke(b.io.order, { write: 0, pid: b.random.below(65536), key: b.random.bits(64) });
  if (pid >= build.keys) return;
  if (key === 0n) keys.delete(pid);
  else keys.set(pid, key);
}

/** A request for a process, with its key or with what somebody tries who does not have it. */
function attempt(random: Random, pid: number, key: bigint, inside = false): Uint8Array {
  const body = random.bytes(random.chance(0.05) ? random.between(0, 1400) : random.between(0, 150)),
    header = { pid, opcode: random.between(0, 255), requestId: random.word(), flagTracked: random.between(0, 1) };
  const right = encode(keyTrailer, { key }),
    bent = encode(keyTrailer, { key: key ^ (1n << BigInt(random.below(64))) });
  const whole = clioMessage(header, body);
  const size = clioHeader.bytes + body.length;
  const turn = random.between(1, 7);
  const message = random.pick<() => Uint8Array>([
    () => concat(whole, right),
    () => concat(whole, right),
    () => concat(whole, right),
    () => concat(whole, bent),
    () => whole,
    // The key as the data's end, one byte early, one byte late, turned around.
    () => clioMessage(header, body, right),
    () => concat(clioMessage({ ...header, size: size + 1 }, body), right),
    () => concat(clioMessage({ ...header, size: Math.max(0, size - 1) }, body), right),
    () => concat(whole, right, new Uint8Array(1)),
    () => concat(whole, right.slice(turn), right.slice(0, turn)),
    () => concat(whole, right.slice(0, 7)),
  ])();
  const frame = udpFrame(
    randomClient(random),
    { ...own, port: random.chance() ? own.nativePort : own.clientPort },
    message,
  );
  if (inside) encodeInto(ethernetHeader, { src: (random.bits(48) | (1n << 40n)) & ~(1n << 47n) }, frame);
  // A frame that goes on behind its packet: the key is not its end.
  return random.chance(0.15) ? concat(frame, random.chance() ? right : random.bytes(random.between(1, 9))) : frame;
}

/** None, one of a single bit, or any. */
const nextKey = (random: Random): bigint =>
  random.chance(0.3) ? 0n : random.chance(0.3) ? 1n << BigInt(random.pick([0, 7, 31, 62, 63])) : random.bits(64);

interface Traffic {
  readonly frames: number;
  /** All senders are offloads of the node. */
  readonly inside?: true;
}
/** Random requests beside keys that come, change and go. */
async function traffic(b: KeyedBench, build: Build, { frames, inside }: Traffic): Promise<Surroundings> {
  const keys = new Map<number, bigint>(),
    pids = pidsOf(build);
  await b.until(() => b.io.clearing.value === 0);
  const seed = b.random.word();
  const s = new Surroundings(asNetRx(b), {
    keys,
    rx: bursts({ go: 40, pause: 4 }, seed),
    request: bursts({ go: 30, pause: 40 }, seed + 1),
    slot: bernoulli(0.9, seed + 2),
    ...(inside && { settings: { ...own, inside: true } }),
  });
  let done = false;
  const orders = new Random(b.random.word());
  b.spawn(async () => {
    while (!done) {
      await give(b, keys, orders.pick(pids), nextKey(orders), build);
      await b.cycles(orders.chance() ? 1 : orders.between(1, 60));
    }
  });
  for (let i = 0; i < frames; i++) {
    const pid = b.random.pick(pids);
    if (b.random.chance(0.1)) s.send(build.internal ? randomPing(b.random) : anyFrame(b.random), b.random.chance(0.05));
    else s.send(attempt(b.random, pid, keys.get(pid) ?? b.random.bits(64), inside), b.random.chance(0.02));
    // Keys change while frames are on their way, not only before.
    if (i % 8 === 7) await b.until(() => s.events.length > i - 4);
  }
  await s.finish();
  done = true;
  return s;
}
const foreign = (s: Surroundings): number => s.events.filter(e => e.request?.foreign === 1).length;

const wide: Build = { beatBytes: 64, keys: 256 };
/** A request with `bytes` of data, and its key. */
const request = (random: Random, pid: number, key: bigint, bytes: number): Uint8Array =>
  udpFrame(
    randomClient(random),
    { ...own, port: own.nativePort },
    concat(clioMessage({ pid, opcode: opcode.WRITE }, random.bytes(bytes)), encode(keyTrailer, { key })),
  );

/** Keys of before a reset, requests during it, orders meanwhile. */
async function afterReset(b: KeyedBench): Promise<void> {
  await b.until(() => b.io.clearing.value === 0);
  const before = new Map<number, bigint>();
  const everybody = Array.from({ length: wide.keys }, (_, pid) => pid);
  for (const pid of everybody) await give(b, before, pid, b.random.bits(64), wide);
  await b.cycles(5);
  b.sim.reset();
  const from = b.cycle,
    keys = new Map<number, bigint>(),
    s = new Surroundings(asNetRx(b), { keys });
  expect(b.io.clearing.value).toBe(1);
  for (const pid of everybody) s.send(request(b.random, pid, b.random.bits(64), 40));
  await b.cycles(100);
  // Of one whose turn has been, and of one whose turn comes.
  for (const pid of [1, 7, wide.keys - 1]) {
    poke(b.io.order, { write: 1, pid, key: b.random.bits(64) });
    await b.risingEdge();
    poke(b.io.order, { write: 0, pid: 0, key: 0n });
  }
  expect(s.events).toEqual([]);
  await s.finish();
  expect(s.events.map(e => e.request?.foreign)).toEqual(everybody.map(() => 0));
  // One process a cycle, then the request's own three.
  expect((s.events[0]?.cycle as number) - from).toBeGreaterThanOrEqual(wide.keys);
  expect((s.events[0]?.cycle as number) - from).toBeLessThanOrEqual(wide.keys + 6);
  await give(b, keys, 7, 0xfedc_ba98_7654_3210n, wide);
  s.send(request(b.random, 7, 0xfedc_ba98_7654_3210n, 3));
  s.send(request(b.random, 7, 1n, 3));
  await s.finish();
  expect(s.events.slice(wide.keys).map(e => e.request?.foreign)).toEqual([0, 1]);
}

describe("requests for processes with keys", () => {
  for (const beatBytes of [8, 16, 32, 64]) {
    const build: Build = { beatBytes, keys: 256 };
    bench(
      `${beatBytes * 8} bits: keys that come and go beside the traffic`,
      Keyed(build),
      { seed: beatBytes },
      async b => {
        const s = await traffic(b, build, { frames: 1500 });
        const refused = foreign(s);
        expect(refused).toBeGreaterThan(250);
        expect(s.events.filter(e => e.request?.kind === "clio").length - refused).toBeGreaterThan(250);
      },
    );
  }
  const few: Build = { beatBytes: 16, keys: 256 };
  testOfResets(Keyed(few), { most: 1000 }, b => traffic(b, few, { frames: 300 }));
  const all: Build = { beatBytes: 64, keys: 65536 };
  bench("every process can have a key", Keyed(all), { seed: 4, limitCycles: 200_000, hangCycles: 70_000 }, async b => {
    expect(foreign(await traffic(b, all, { frames: 400 }))).toBeGreaterThan(50);
  });

  const extended: Build = { beatBytes: 64, keys: 256, internal: true };
  bench("the node's offloads need none, whatever they send", Keyed(extended), { seed: 5 }, async b => {
    expect(foreign(await traffic(b, extended, { frames: 300, inside: true }))).toBe(0);
  });
  bench("others do, in the same build", Keyed(extended), { seed: 6 }, async b => {
    expect(foreign(await traffic(b, extended, { frames: 300 }))).toBeGreaterThan(50);
  });

  bench(
    "it costs no cycle: 3 from the last beat, no bubble, right and wrong keys by turns",
    Keyed(wide),
    { seed: 7 },
    async b => {
      await b.until(() => b.io.clearing.value === 0);
      const keys = new Map<number, bigint>(),
        s = new Surroundings(asNetRx(b), { keys });
      await give(b, keys, 7, 0x0123_4567_89ab_cdefn, wide);
      const sent = Array.from({ length: 200 }, (_, i) =>
        s.send(request(b.random, 7, i % 2 === 0 ? 0x0123_4567_89ab_cdefn : b.random.bits(64), i % 140)),
      );
      await s.finish();
      s.events.forEach((e, i) => {
        expect(e.request?.foreign, `frame ${i}`).toBe(i % 2);
        expect(e.cycle).toBe((sent[i]?.end as number) + 3);
        if (i > 0) expect(sent[i]?.start).toBe((sent[i - 1]?.end as number) + 1);
      });
    },
  );
  bench(
    "after a reset nobody has a key, requests wait until that is so, and an order meanwhile does nothing",
    Keyed(wide),
    { seed: 8 },
    afterReset,
  );
});

describe("a planted fault is found", () => {
  const small: Build = { beatBytes: 16, keys: 256 },
    front: Build = { ...small, internal: true };
  type Run = (b: KeyedBench) => Promise<unknown>;
  const random: Run = b => traffic(b, small, { frames: 1200 }),
    inside: Run = b => traffic(b, front, { frames: 300, inside: true });
  const run = (design: Dut<ReturnType<typeof Keyed>["ports"]>, body: Run): Promise<unknown> =>
    runBench("keyed", design, { wave: false, hangCycles: 3000, limitCycles: 120_000, seed: 3 }, body);
  test("and nothing without one", async () => {
    await run(Keyed(small), random);
  });
  const faults: readonly (readonly [string, string | RegExp, string, (readonly [Build, Run])?])[] = [
    ["a byte of the key is not compared", "sent_key == key", "sent_key[63:8] == key[63:8]"],
    ["the key is turned by one place less", /key_from = [^;]*;/, "key_from = last_byte[2:0];"],
    ["the key need not be the frame's end", /wire has_key =[^&]*&/, "wire has_key ="],
    ["the key may be part of the data", /(wire has_key =[^&]*)&[^;]*;/, "$1;"],
    ["a last beat without a place forgets it", "if (rx_payload_keep[3])", "if (1'b1)"],
    ["the key of another process after a stall", /if \(read_en\) word <=/, "word <="],
    ["a process past the table has the key of one in it", /assign key = has \? [^;]*;/, "assign key = word;"],
    ["an order for a process past the table changes one in it", /wire given = [^;]*;/, "wire given = order_write;"],
    ["a key of the highest bit alone is none", "(|key)", "(|key[62:0])"],
    ["at the published client's ports no key is asked for", "sends_key <= has_key;", "sends_key <= has_key | ~native;"],
    [
      "an order comes a process late",
      "clearing_q ? next : order_pid[7:0]",
      "clearing_q ? next : order_pid[7:0] ^ 8'd1",
    ],
    ["offloads need a key", "needs_no_key <= inside_;", "needs_no_key <= 1'b0;", [front, inside]],
    ["requests do not wait for the table", " & ~keys_clearing;", ";", [wide, afterReset]],
    ["a reset leaves keys", "clearing_q ? 64'd0 : order_key", "order_key", [wide, afterReset]],
    ["the last process keeps its key", /clearing_q <= [^;]*;/, "clearing_q <= ~(&next[7:1]);", [wide, afterReset]],
    [
      "an order beside the clearing counts",
      "clearing_q ? next : order_pid[7:0]",
      "given ? order_pid[7:0] : next",
      [wide, afterReset],
    ],
  ];
  for (const [name, from, to, [build, body] = [small, random]] of faults)
    test(name, async () => {
      await findsFault(run(plant(Keyed(build), from, to), body));
    });
});
