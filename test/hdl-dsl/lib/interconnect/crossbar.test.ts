import { describe, expect, test } from "vitest";
import { bench } from "../../../bench.ts";
import { Axi4Crossbar, type Axi4CrossbarParameters, axiResponse, type Shape } from "../../../../hdl-dsl/index.ts";
import {
  axiPorts,
  AxiRam,
  type AxiRamOptions,
  type Bench,
  bernoulli,
  never,
  type Pause,
  runBench,
  type StreamIo,
  StreamSink,
  StreamSource,
} from "../../../../sim/index.ts";
import { offer } from "../../../support/offer.ts";
import { findsFault, plant } from "../../../support/plant.ts";
import { BEAT, beatsOf, type Burst, littleEndian, TrafficMaster } from "./axi-traffic.ts";

const sizes: Axi4CrossbarParameters = {
  addressBits: 20,
  idBits: 2,
  beatBytes: BEAT,
  masters: 3,
  slaves: [
    { base: 0x10000, size: 0x10000 },
    { base: 0x4000, size: 0x1000 },
    { base: 0x80000, size: 0x80000 },
  ],
  outstanding: 4,
};
const NOWHERE = 0x20000,
  /** Bytes of a slave that belong to one master. */
  OWN = 0x400;
const dut = Axi4Crossbar(sizes);
type Io = Readonly<Record<string, StreamIo<Shape, "in"> & StreamIo<Shape, "out">>>;

interface Traffic {
  readonly sizes?: Axi4CrossbarParameters;
  readonly pause: (n: number) => Pause;
  readonly ram: (slave: number) => AxiRamOptions;
  readonly batches: number;
  readonly most?: number;
  /** An address of no slave. */
  readonly nowhere?: number;
}

/** Masters write into places of their own in all slaves, and read them back while they write elsewhere. */
async function talks(b: Bench, t: Traffic): Promise<void> {
  const p = t.sizes ?? sizes,
    r = b.random;
  const rams = p.slaves.map((_, i) => new AxiRam(b.sim, axiPorts(b.io as never, `m${i}`), { depth: 8, ...t.ram(i) }));
  const masters = Array.from({ length: p.masters }, (_, m) => new TrafficMaster(b, `s${m}`, n => t.pause(10 * m + n)));
  const written: { readonly slave: number; readonly burst: Burst }[] = [];
  await b.all(
    masters.map((master, m) => async () => {
      const halves: Burst[][] = [[], []];
      for (let batch = 0; batch < t.batches; batch++) {
        const half = batch % 2;
        // What the batch before has written is read, while the other half is written anew.
        for (const burst of halves[1 - half]!) master.read({ ...burst, id: r.below(2 ** p.idBits) });
        halves[half] = [];
        let at = m * OWN + (half * OWN) / 2;
        for (let n = 0; n < 6; n++) {
          const beats = beatsOf(r, t.most ?? 6),
            id = r.below(2 ** p.idBits);
          if (r.chance(0.15)) {
            const lost = { addr: (t.nowhere ?? NOWHERE) + at, id, resp: axiResponse.DECERR };
            master.write({ ...lost, beats });
            master.read({ ...lost, beats: beats.map(() => 0n) });
            continue;
          }
          const slave = r.below(p.slaves.length),
            burst = { addr: p.slaves[slave]!.base + at, id, beats, resp: axiResponse.OKAY };
          at += beats.length * BEAT;
          master.write(burst);
          halves[half].push(burst);
          if (batch >= t.batches - 2) written.push({ slave, burst });
        }
        await b.until(() => master.idle);
      }
    }),
  );
  await b.cycles(10);
  for (const { slave, burst } of written)
    expect(rams[slave]!.read(burst.addr, burst.beats.length * BEAT)).toEqual(littleEndian(burst.beats));
  expect(rams.every(x => x.idle)).toBe(true);
  const io = b.io as unknown as Io;
  for (const [name, s] of Object.entries(io))
    if (/^(s\d+[BR]|m\d+(Aw|W|Ar))$/.test(name)) expect([name, s.valid.value]).toEqual([name, 0]);
}

/** One beat after another by hand on both sides: latency, interval, bounds, fairness. */
async function times(b: Bench): Promise<void> {
  const io = b.io as unknown as Io,
    address = (id: number, slave = 0) =>
      ({ addr: sizes.slaves[slave]!.base + 8 * id, id, len: 0, size: 3, burst: 1 }) as never;
  const ar = new StreamSource(b.sim, io["s0Ar"]!),
    out = new StreamSink(b.sim, io["m0Ar"]!),
    back = new StreamSource(b.sim, io["m0R"]!),
    r = new StreamSink(b.sim, io["s0R"]!);
  const sent = [0, 1, 2, 3, 0].map(id => ar.send(address(id)));
  await b.cycles(12);
  // Four are under way, and no more; a fifth waits for an answer.
  expect(out.received.map(x => x.cycle)).toEqual(sent.slice(0, 4).map(s => s.cycle! + 1));
  expect(sent.slice(0, 4).map(s => s.cycle! - sent[0]!.cycle!)).toEqual([0, 1, 2, 3]);
  expect(sent[4]!.cycle).toBeUndefined();
  const answers = [3, 1, 0, 2].map(id => back.send({ data: BigInt(id), id, resp: 0, last: 1 }));
  await b.cycles(8);
  expect(r.received.map(x => [x.cycle, (x.value as { id?: number }).id])).toEqual(
    answers.map((a, i) => [a.cycle! + 1, [3, 1, 0, 2][i]]),
  );
  expect(sent[4]!.cycle).toBeDefined();
  // Another slave: it waits until all answers of this one have come.
  const other = ar.send(address(1, 2));
  await b.cycles(6);
  expect(other.cycle).toBeUndefined();
  back.send({ data: 0n, id: 0, resp: 0, last: 1 });
  const far = new StreamSink(b.sim, io["m2Ar"]!);
  await b.until(() => far.received.length === 1);
  // Writes: data that are there before their address wait, and come one cycle behind it.
  const w = new StreamSource(b.sim, io["s1W"]!),
    wOut = new StreamSink(b.sim, io["m0W"]!),
    awOut = new StreamSink(b.sim, io["m0Aw"]!);
  for (let i = 0; i < 2; i++) w.send({ data: BigInt(i), strb: 255, last: i });
  await b.cycles(5);
  expect(wOut.received.length).toBe(0);
  const aw = new StreamSource(b.sim, io["s1Aw"]!),
    asked = aw.send({ ...(address(1) as object), len: 1 });
  await b.until(() => wOut.received.length === 2);
  expect([awOut.received[0]!.cycle, ...wOut.received.map(x => x.cycle)].map(c => c - asked.cycle!)).toEqual([1, 2, 3]);
}

/**
 * All masters write to one slave, which first takes nothing, then addresses alone, as many as the order has places
 * for, and then all: no address is lost on the way, and data come in their order.
 */
async function withoutData(b: Bench): Promise<void> {
  const io = b.io as unknown as Io,
    places = 2 * sizes.masters,
    each = 4;
  const masters = Array.from({ length: sizes.masters }, (_, m) => ({
    aw: new StreamSource(b.sim, io[`s${m}Aw`]!),
    w: new StreamSource(b.sim, io[`s${m}W`]!),
    b: new StreamSink(b.sim, io[`s${m}B`]!),
  }));
  for (const [i, { base }] of sizes.slaves.entries()) {
    let open = false;
    const aw = new StreamSink(b.sim, io[`m${i}Aw`]!, { pause: () => !open }),
      w = new StreamSink(b.sim, io[`m${i}W`]!),
      back = new StreamSource(b.sim, io[`m${i}B`]!);
    const placeOf = (m: number, n: number): number => base + 8 * (each * m + n);
    for (const [m, s] of masters.entries())
      for (let n = 0; n < each; n++) s.aw.send({ addr: placeOf(m, n), id: n, len: 0, size: 3, burst: 1 });
    await b.cycles(40);
    open = true;
    await b.cycles(40);
    expect(aw.received.length, `addresses for slave ${i} without their data`).toBe(places);
    for (const [m, s] of masters.entries())
      for (let n = 0; n < each; n++) s.w.send({ data: BigInt(placeOf(m, n)), strb: 255, last: 1 });
    const all = each * masters.length;
    await b.until(() => aw.received.length === all && w.received.length === all);
    const asked = aw.received.map(x => x.value as { addr?: number; id?: number });
    expect(w.received.map(x => Number((x.value as { data?: bigint }).data))).toEqual(asked.map(x => x.addr));
    for (const [m] of masters.entries())
      expect(asked.map(x => x.addr!).filter(at => Math.floor((at - base) / (8 * each)) === m)).toEqual(
        Array.from({ length: each }, (_, n) => placeOf(m, n)),
      );
    for (const { id } of asked) back.send({ id: id!, resp: 0 });
    await b.until(() => masters.every(s => s.b.received.length === each));
    for (const s of masters) s.b.received.splice(0);
  }
}

/** All masters want one slave all the time. */
async function fair(b: Bench): Promise<void> {
  const io = b.io as unknown as Io;
  const out = new StreamSink(b.sim, io["m1Ar"]!),
    back = new StreamSource(b.sim, io["m1R"]!),
    ends = Array.from({ length: 3 }, (_, m) => {
      const ar = new StreamSource(b.sim, io[`s${m}Ar`]!);
      for (let i = 0; i < 20; i++) ar.send({ addr: 0x4000, id: 1, len: 0, size: 3, burst: 1 });
      return new StreamSink(b.sim, io[`s${m}R`]!);
    });
  let answered = 0;
  b.onEdge({
    sample: () => {
      for (; answered < out.received.length; answered++)
        back.send({ data: 0n, id: (out.received[answered]!.value as { id?: number }).id!, resp: 0, last: 1 });
    },
    drive: () => undefined,
  });
  await b.until(() => ends.every(e => e.received.length === 20));
  const order = out.received.map(x => (x.value as { id?: number }).id! >> 2);
  order.forEach((m, i) => {
    if (i >= 3) expect(order[i - 3]).toBe(m);
  });
}

/** Reads, a write with its data and one without, then reset. */
async function cutOff(b: Bench): Promise<void> {
  const io = b.io as unknown as Io,
    at = (slave: number) => ({ addr: sizes.slaves[slave]!.base, id: 1, len: 3, size: 3, burst: 1 }) as never;
  for (const name of ["m0Ar", "m0Aw", "m0W", "m1Aw"]) io[name]!.ready.value = 1;
  for (let i = 0; i < 3; i++) expect(await offer(b, io["s0Ar"]!, at(0))).toBe(true);
  expect(await offer(b, io["s1Aw"]!, at(1))).toBe(true);
  expect(await offer(b, io["s2Aw"]!, { addr: NOWHERE, id: 1, len: 0, size: 3, burst: 1 })).toBe(true);
  expect(await offer(b, io["s1W"]!, { data: 1n, strb: 255, last: 0 })).toBe(true);
  b.sim.reset(1);
  b.sim.settle();
  for (const [name, s] of Object.entries(io))
    if (/^(s\d+[BR]|m\d+(Aw|W|Ar))$/.test(name)) expect([name, s.valid.value]).toEqual([name, 0]);
  await talks(b, { pause: () => never, ram: ordered, batches: 2 });
}

const ordered: Traffic["ram"] = () => ({ latency: 3 });
const wild: Traffic["ram"] = i => ({
  latency: 4 + 3 * i,
  jitter: 12,
  outOfOrder: true,
  interleave: true,
  accepts: (["any", "address first", "data first", "together"] as const)[i % 4]!,
  pause: {
    aw: bernoulli(0.4, i),
    w: bernoulli(0.4, i + 5),
    b: bernoulli(0.4, i + 9),
    ar: bernoulli(0.4, i + 13),
    r: bernoulli(0.4, i + 17),
  },
});
const small: Axi4CrossbarParameters = {
  addressBits: 16,
  idBits: 1,
  beatBytes: BEAT,
  masters: 2,
  slaves: [{ base: 0x8000, size: 0x4000 }],
  outstanding: 1,
};

describe("Axi4Crossbar", () => {
  bench("three masters, three slaves, nothing stalls", dut as never, {}, b =>
    talks(b, { pause: () => never, ram: ordered, batches: 5 }),
  );
  bench("slaves that mix, overtake and stall", dut as never, { limitCycles: 100_000 }, b =>
    talks(b, { pause: n => bernoulli(0.3, n), ram: wild, batches: 6 }),
  );
  bench("masters that hardly take their answers", dut as never, { limitCycles: 100_000 }, b =>
    talks(b, { pause: n => bernoulli(n % 10 > 2 ? 0.85 : 0.1, n), ram: wild, batches: 4 }),
  );
  bench("two masters, one slave, one access at a time", Axi4Crossbar(small) as never, {}, b => {
    const t = { sizes: small, nowhere: 0, pause: (n: number) => bernoulli(0.2, n), ram: ordered, batches: 4 };
    return talks(b, t);
  });
  bench("long bursts", dut as never, { limitCycles: 100_000 }, b =>
    talks(b, { pause: n => bernoulli(0.1, n), ram: ordered, batches: 2, most: 10 }),
  );
  bench("latency, interval, bounds, order between slaves", dut as never, {}, times);
  bench("masters of one slave take turns", dut as never, {}, fair);
  bench("a slave that takes no addresses, and one that takes no data", dut as never, {}, withoutData);
  test("planted fault: an address goes on without a place in the order", () =>
    findsFault(
      runBench(
        "order",
        plant(dut as never, "address_1_ready & order_1_push_ready", "address_1_ready | order_1_push_ready"),
        { wave: false, hangCycles: 200 },
        withoutData,
      ),
      /./,
    ));
  test("ranges that cannot be told apart are refused", () => {
    const ranges = (slaves: Axi4CrossbarParameters["slaves"]) => () => Axi4Crossbar({ ...sizes, slaves });
    expect(ranges([{ base: 0, size: 0x3000 }])).toThrow(
      "slave 0 has 12288 bytes; choose a power of two of 4096 or more",
    );
    expect(ranges([{ base: 0x1000, size: 0x2000 }])).toThrow("slave 0 begins at 0x1000; choose a multiple of 0x2000");
    expect(
      ranges([
        { base: 0, size: 0x4000 },
        { base: 0x2000, size: 0x1000 },
      ]),
    ).toThrow("slaves 0 and 1 share address 0x2000; part them");
  });
  bench("reset in the middle of traffic: nothing is left of it", dut as never, {}, cutOff);

  test.each([
    [
      "a read does not wait for another slave's answers",
      /wire ar_open_0 = [^;]*;/,
      "wire ar_open_0 = ar_count_0 != 3'd4;",
    ],
    ["more reads are under way than may be", /ar_count_0 != 3'd4/, "1'b1"],
    ["an answer goes to a master that did not ask", /assign b_0_from_1 = [^;]*;/, "assign b_0_from_1 = b_1_from_1;"],
    ["data come out of turn", /assign turn_0_0 = [^;]*;/, "assign turn_0_0 = s0_w_valid;"],
    ["an address of nobody gets a beat too few", /no_read_0_left == 8'd0/, "no_read_0_left <= 8'd1"],
    ["a write to nobody does not wait for its data", /no_write_1_takes <= 1'b1;/, "no_write_1_answer <= 1'b1;"],
    ["a slave's range is one bit too wide", /s2_ar_payload_addr\[19:16\] == 4'd1/, "s2_ar_payload_addr[19:17] == 3'd0"],
    ["a master's answers are not counted", /ar_count_2 <= ar_count_2 - 3'd1;/, "ar_count_2 <= ar_count_2;"],
    ["reset leaves what was under way", /if \(rst\) ar_count_0 <= 3'd0;\s*else if/, "if"],
  ] as const)("planted fault: %s", (_what, from, to) => {
    const faulty = plant(dut as never, from, to),
      o = { wave: false, hangCycles: 1500, limitCycles: 60_000 } as const;
    return findsFault(
      runBench("talks", faulty, o, b => talks(b, { pause: n => bernoulli(0.3, n), ram: wild, batches: 3 }))
        .then(() => runBench("times", faulty, o, times))
        .then(() => runBench("cut off", faulty, o, cutOff)),
      /./,
    );
  });
});
