/** The registers of an ExCache by themselves: each bit goes where it belongs, and what happens at once is counted. */
import { describe, expect, test } from "vitest";
import { registerDriver } from "../../../hdl-dsl/index.ts";
import { counterNames, exCacheMap } from "../../../designs/legoos/registers/index.ts";
import { ExCacheControl } from "../../../designs/legoos/rtl/index.ts";
import { type Bench, bernoulli, type Dut, LiteMaster, runBench, StreamSink, StreamSource } from "../../../sim/index.ts";
import { findsFault, plant } from "../../support/plant.ts";
import { small } from "./traffic.ts";

const parameters = small(),
  dut = ExCacheControl(parameters);
type Ports = typeof dut.ports;

/** Cycles from the one in which a read's address is taken to the one whose count it gets. */
const readAfter = 1,
  /** Cycles from the one in which a write's data are taken to the pulse that they make. */
  pulseAfter = 1;

/** Fields that software writes. */
const fields = exCacheMap.registers.flatMap(r => r.fields.filter(f => f.kind === "rw"));
type Name = Parameters<ReturnType<typeof registerDriver<(typeof exCacheMap.registers)[number]>>["read"]>[0];
/** Values of an entry's fields. */
const valuesOf = (entry: Readonly<Record<string, { readonly value: number | bigint }>>): Record<string, bigint> =>
  Object.fromEntries(Object.entries(entry).map(([name, s]) => [name, BigInt(s.value)]));
const ones = (width: number): bigint => (1n << BigInt(width)) - 1n;

/** Each field has each bit as 0 and as 1; the entries and places that are told have what stood there. */
async function settings(b: Bench<Ports>): Promise<void> {
  const { io, sim } = b,
    r = registerDriver(exCacheMap, new LiteMaster(sim, io)),
    first = new Map(fields.map(f => [f.name, b.random.bits(f.width)]));
  const told: string[] = [];
  b.onEdge({
    sample: () => {
      for (const [name, at] of Object.entries({ node: io.nodeWrite, region: io.regionWrite, range: io.rangeWrite }))
        if (at.valid.value === 1) told.push(name);
    },
  });
  for (const turned of [false, true, false]) {
    const of = (name: string): bigint => {
      const { width = 0 } = fields.find(f => f.name === name) ?? {};
      return (first.get(name) ?? 0n) ^ (turned ? ones(width) : 0n);
    };
    for (const { name } of fields) await r.write({ [name]: Number(of(name)) });
    // The map's own names.
    for (const { name } of fields) expect(BigInt(await r.read(name as Name)), name).toBe(of(name));
    const joined = (high: bigint, low: bigint): bigint => (high << 32n) | low,
      low = (name: string, values: number): bigint => of(name) % BigInt(values);
    expect(valuesOf(io.own)).toEqual({
      mac: joined(of("macHigh"), of("macLow")),
      ip: of("ip"),
      port: of("port"),
      firstId: of("firstId"),
    });
    await r.write({ setPeer: 1 });
    await r.write({ setRegion: 1 });
    await r.write({ setRange: 1 });
    await b.cycles(3);
    expect(told.splice(0)).toEqual(["node", "region", "range"]);
    const { peer, index } = io.nodeWrite.entry;
    expect({ index: BigInt(index.value), ...valuesOf(peer) }).toEqual({
      index: low("peerAt", parameters.nodes),
      mac: joined(of("peerMacHigh"), of("peerMacLow")),
      ip: of("peerIp"),
      port: of("peerPort"),
    });
    expect(valuesOf(io.regionWrite.entry)).toEqual({
      index: low("regionAt", parameters.regions),
      keep: low("regionKeep", 2),
      asid: of("regionAsid"),
      region: of("regionNumber"),
      node: low("regionNode", parameters.nodes),
      replicated: low("regionReplicated", 2),
      secondary: low("regionSecondary", parameters.nodes),
    });
    const range = io.rangeWrite.entry,
      page = (name: "First" | "Last"): bigint =>
        BigInt.asUintN(range.first.width, joined(of(`range${name}High`), of(`range${name}Low`)));
    expect(valuesOf(range)).toEqual({
      index: low("rangeAt", parameters.ranges),
      keep: low("rangeKeep", 2),
      asid: of("rangeAsid"),
      first: page("First"),
      last: page("Last"),
      writable: low("rangeWritable", 2),
      anonymous: low("rangeAnonymous", 2),
      base: low("rangeBase", parameters.localLines),
    });
    await r.write({ evict: 1 });
    const place = { index: low("evictSet", parameters.sets), way: low("evictWay", parameters.ways) };
    expect([await r.read("isEvicting"), valuesOf(io.evict.payload)]).toEqual([1, place]);
    // Another order meanwhile is none.
    await r.write({ evictSet: Number(of("evictSet") ^ 1n) });
    await r.write({ evict: 1 });
    expect(valuesOf(io.evict.payload)).toEqual(place);
    io.evict.ready.value = 1;
    await b.cycles(1);
    io.evict.ready.value = 0;
    expect(await r.read("isEvicting")).toBe(0);
  }
}

/** An event is read as it is, until it was seen; the state beside it. */
async function events(b: Bench<Ports>): Promise<void> {
  const { io, sim } = b,
    r = registerDriver(exCacheMap, new LiteMaster(sim, io)),
    source = new StreamSource(sim, io.event);
  let taken = 0,
    written = 0,
    seenAfter = 0;
  b.onEdge({
    sample: () => {
      if (io.sW.valid.value === 1 && io.sW.ready.value === 1) written = b.cycle;
      if (io.event.valid.value === 1 && io.event.ready.value === 1) {
        taken++;
        seenAfter = b.cycle - written;
      }
    },
  });
  const page = b.random.bits(io.event.payload.line.page.width),
    asid = b.random.bits(16);
  for (const [i, turned] of [0n, -1n, 0n].entries()) {
    const line = {
        asid: Number(BigInt.asUintN(16, asid ^ turned)),
        page: BigInt.asUintN(io.event.payload.line.page.width, page ^ turned),
      },
      status = 5 ^ Number(turned & 15n),
      flag = i % 2;
    source.send({ kind: "flushRefused", line, status });
    await b.cycles(2);
    io.busy.value = flag === 0 ? 1 : 2;
    for (const s of [io.ready, io.idle, io.failed]) s.value = flag;
    const read = async (): Promise<unknown> => [
      await r.read("eventValid"),
      await r.read("eventAsid"),
      BigInt(await r.read("eventPageLow")) | (BigInt(await r.read("eventPageHigh")) << 32n),
      await r.read("eventStatus"),
    ];
    expect(await read()).toEqual([1, line.asid, line.page, status]);
    expect([
      await r.read("isReady"),
      await r.read("isIdle"),
      await r.read("hasFailed"),
      await r.read("misses"),
    ]).toEqual([flag, flag, flag, flag === 0 ? 1 : 2]);
    expect(taken).toBe(i);
    await r.write({ eventSeen: 1 });
    expect(taken).toBe(i + 1);
    expect(seenAfter, "cycles from the write to the event's end").toBe(pulseAfter);
  }
}

/** Whatever happens in one cycle is counted, each by itself; a reset leaves nothing. */
async function counts(b: Bench<Ports>): Promise<void> {
  const { io, sim } = b,
    r = registerDriver(exCacheMap, new LiteMaster(sim, io)),
    inputs = { ...io.events, ...io.traffic },
    seen = new Map<string, number>(counterNames.map(n => [n, 0]));
  for (const chance of [0.5, 0.05, 1]) {
    for (let n = 0; n < 600; n++) {
      for (const name of counterNames) {
        const happens = b.random.chance(chance);
        inputs[name].value = happens ? 1 : 0;
        if (happens) seen.set(name, (seen.get(name) ?? 0) + 1);
      }
      await b.cycles(1);
    }
    for (const name of counterNames) inputs[name].value = 0;
    await b.cycles(2);
    for (const name of counterNames) expect(await r.read(`count_${name}`), name).toBe(seen.get(name));
  }
  sim.reset();
  for (const name of counterNames) expect(await r.read(`count_${name}`), name).toBe(0);
}

/**
 * Reads while things happen in every other cycle: each count says what has happened until one and the same cycle,
 * seen from that in which its address was taken.
 */
async function countsInTime(b: Bench<Ports>): Promise<void> {
  const { io, sim } = b,
    ar = new StreamSource(sim, io.sAr, { pause: bernoulli(0.3, 1) }),
    // Taken at once: a read that waits for another's answer gets a later count.
    data = new StreamSink(sim, io.sR),
    inputs = { ...io.events, ...io.traffic },
    counted = Object.fromEntries(counterNames.map(n => [n, 0])),
    /** What had happened before each cycle. */
    before: Record<string, number>[] = [],
    taken: number[] = [];
  b.onEdge({
    sample: () => {
      before.push({ ...counted });
      if (io.sAr.valid.value === 1 && io.sAr.ready.value === 1) taken.push(before.length - 1);
      for (const name of counterNames) counted[name] = (counted[name] ?? 0) + inputs[name].num;
    },
  });
  const asked = [...counterNames, ...counterNames, ...counterNames];
  for (const name of asked)
    ar.send({
      addr: exCacheMap.registers.find(r => r.fields.some(f => f.name === `count_${name}`))?.address ?? -1,
      prot: 0,
    });
  while (data.received.length < asked.length) {
    for (const name of counterNames) inputs[name].value = b.random.below(2);
    await b.cycles(1);
  }
  const said = data.received.map(x => x.value.data);
  expect(said).toEqual(asked.map((name, i) => before[(taken[i] as number) + readAfter]?.[name]));
}

const runs = { settings, events, counts, countsInTime };
const look = async (design: Dut<Ports> = dut): Promise<void> => {
  for (const [name, run] of Object.entries(runs))
    await runBench(name, design, { seed: 1, wave: false, limitCycles: 30_000 }, run);
};
test.each(Object.entries(runs))("%s", async (name, run) => {
  await runBench(name, dut, { seed: 2, limitCycles: 30_000 }, run);
});
describe("a planted fault is found", () => {
  test("and nothing without one", () => look());
  test.each([
    [
      "two that happen at once count once",
      /if \(events_miss\) miss_count/,
      "if (events_miss & ~events_hit) miss_count",
    ],
    [
      "a count is read a cycle early",
      /\.count_ignored\s*\(ignored_count\)/,
      ".count_ignored (ignored_count + {31'd0, traffic_ignored})",
    ],
    ["a count outlives a reset", /if \(rst\) hit_count <= 32'd0;\s+else if/, "if"],
    ["a second order takes the place of the first", "registers_evict & ~evicting", "registers_evict"],
    [
      "a page has no high part",
      /range_entry_first <= [^;]*;/,
      "range_entry_first <= {8'd0, registers_range_first_low};",
    ],
  ] as const)("%s", (_, from, to) => findsFault(look(plant(dut, from, to))));
});
