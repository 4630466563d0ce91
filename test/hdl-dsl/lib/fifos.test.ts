import { describe, expect, test } from "vitest";
import { bench } from "../../bench.ts";
import {
  AsyncFifo,
  bit,
  clockDomain,
  connect,
  instance,
  module,
  output,
  PacketFifo,
  sink,
  source,
  struct,
  uint,
} from "../../../hdl-dsl/index.ts";
import { type Bench, bernoulli, never, runBench, StreamSink, StreamSource } from "../../../sim/index.ts";
import { findsFault, plant } from "../../support/plant.ts";
import { everyPressure } from "../support/pressures.ts";

const word = uint(16);
/** Deep, shallow, and with distributed memory, between one pair of clocks. */
const Crossings = module(
  "Crossings",
  () => ({
    deepI: sink(word, { domain: "a" }),
    deepO: source(word, { domain: "b" }),
    twoI: sink(word, { domain: "a" }),
    twoO: source(word, { domain: "b" }),
    lutI: sink(word, { domain: "a" }),
    lutO: source(word, { domain: "b" }),
  }),
  io => {
    const domains = { push: clockDomain("a"), pop: clockDomain("b") };
    const deep = instance(AsyncFifo({ shape: word, depth: 16 }), { domains }),
      two = instance(AsyncFifo({ shape: word, depth: 2 }), { domains });
    const lut = instance(AsyncFifo({ shape: word, depth: 4, style: "distributed" }), { domains });
    connect(io.deepI, deep.push);
    connect(deep.pop, io.deepO);
    connect(io.twoI, two.push);
    connect(two.pop, io.twoO);
    connect(io.lutI, lut.push);
    connect(lut.pop, io.lutO);
  },
);
const crossings = Crossings();

/** Periods and phases in ns: one side slower, the other, nearly equal, equal, and far apart. */
const clocks = [
  { a: { periodNs: 10 }, b: { periodNs: 3.1, phaseNs: 1 } },
  { a: { periodNs: 3.1 }, b: { periodNs: 10, phaseNs: 2 } },
  { a: { periodNs: 5 }, b: { periodNs: 5.01, phaseNs: 0.3 } },
  { a: { periodNs: 5 }, b: { periodNs: 5 } },
  { a: { periodNs: 2 }, b: { periodNs: 31, phaseNs: 4 } },
] as const;

describe("AsyncFifo", () => {
  for (const pair of clocks) {
    for (const unit of ["deep", "two", "lut"] as const) {
      everyPressure(
        `${unit}, ${pair.a.periodNs} ns to ${pair.b.periodNs} ns`,
        crossings,
        { clocks: pair },
        async (b, from, to) => {
          const into = new StreamSource(b.sim, b.io[`${unit}I`], { ...from(), domain: "a" }),
            out = new StreamSink(b.sim, b.io[`${unit}O`], { ...to(), domain: "b" });
          const sent = Array.from({ length: 120 }, () => b.random.between(0, 65535));
          for (const v of sent) into.send(v);
          await b.clock("b").until(() => out.received.length === 120);
          await b.clock("b").cycles(8);
          expect(out.received.map(r => r.value)).toEqual(sent);
        },
      );
    }
  }
  bench(
    "full: the depth is taken and no more, and all of it comes out again",
    crossings,
    { clocks: clocks[2] },
    async b => {
      const sources = [
        [new StreamSource(b.sim, b.io.deepI, { domain: "a" }), 16],
        [new StreamSource(b.sim, b.io.twoI, { domain: "a" }), 2],
      ] as const;
      b.io.deepO.ready.value = 0;
      b.io.twoO.ready.value = 0;
      for (const [s] of sources) for (let i = 0; i < 20; i++) s.send(i);
      await b.clock("a").cycles(40);
      for (const [s, depth] of sources) expect(s.pending).toBe(20 - depth);
      const out = new StreamSink(b.sim, b.io.deepO, { domain: "b" });
      await b.clock("b").until(() => out.received.length === 20);
      expect(out.received.map(r => r.value)).toEqual(Array.from({ length: 20 }, (_, i) => i));
    },
  );
  bench(
    "equal clocks, 16 deep: one element a cycle on both sides; pop follows push by 1 + 2 cycles",
    crossings,
    { clocks: clocks[3] },
    async b => {
      const into = new StreamSource(b.sim, b.io.deepI, { domain: "a" }),
        out = new StreamSink(b.sim, b.io.deepO, { domain: "b" });
      const sent = Array.from({ length: 100 }, (_, i) => into.send(i));
      await b.clock("b").until(() => out.received.length === 100);
      expect((out.received[99]?.cycle as number) - (out.received[0]?.cycle as number)).toBe(99);
      expect((out.received[0]?.cycle as number) - (sent[0]?.cycle as number)).toBe(3);
    },
  );
  test("a depth that is no power of two is refused", () => {
    expect(() => AsyncFifo({ shape: word, depth: 6 })).toThrow(
      "AsyncFifo: a depth of 6 is no power of two of 2 or more; the next one is 8",
    );
    expect(() => AsyncFifo({ shape: word, depth: 1 })).toThrow(
      "AsyncFifo: a depth of 1 is no power of two of 2 or more; the next one is 2",
    );
  });
});

const Beat = struct({ data: uint(8), last: bit, bad: bit });
type BeatValue = { readonly data: number; readonly last: number; readonly bad: number };
const Packets = module(
  "Packets",
  () => ({
    sevenI: sink(Beat),
    sevenO: source(Beat),
    sevenPackets: output(uint(3)),
    sevenDropped: output(bit),
    eightI: sink(Beat),
    eightO: source(Beat),
    eightPackets: output(uint(4)),
    eightDropped: output(bit),
  }),
  io => {
    const seven = instance(PacketFifo({ shape: Beat, depth: 7, last: "last", drop: "bad" })),
      eight = instance(PacketFifo({ shape: Beat, depth: 8, last: "last", style: "distributed" }));
    connect(io.sevenI, seven.push);
    connect(seven.pop, io.sevenO);
    io.sevenPackets.set(seven.packets);
    io.sevenDropped.set(seven.dropped);
    connect(io.eightI, eight.push);
    connect(eight.pop, io.eightO);
    io.eightPackets.set(eight.packets);
    io.eightDropped.set(eight.dropped);
  },
);
const packets = Packets();

const packet = (b: Bench, length: number): BeatValue[] => {
  const bad = b.random.chance(0.3) ? 1 : 0;
  return Array.from({ length }, (_, i) => ({
    data: b.random.between(0, 255),
    last: i === length - 1 ? 1 : 0,
    bad: i === length - 1 ? bad : b.random.between(0, 1),
  }));
};
/** The reference: whole packets that fit and are not to be dropped. */
const survivors = (all: readonly (readonly BeatValue[])[], depth: number, dropping: boolean): BeatValue[] =>
  all.filter(p => p.length <= depth && !(dropping && p.at(-1)?.bad === 1)).flat();

async function packetRun(
  b: Bench<(typeof packets)["ports"]>,
  unit: "seven" | "eight",
  from: object,
  to: object,
): Promise<void> {
  const depth = unit === "seven" ? 7 : 8,
    dropping = unit === "seven";
  const into = new StreamSource(b.sim, b.io[`${unit}I`], from),
    out = new StreamSink(b.sim, b.io[`${unit}O`], to);
  const all = Array.from({ length: 80 }, (_, i) =>
    packet(b as Bench, i < 24 ? (i % 12) + 1 : b.random.between(1, b.random.chance(0.2) ? 20 : 5)),
  );
  let dropped = 0,
    complete = 0;
  b.onEdge({
    sample: () => {
      dropped += b.io[`${unit}Dropped`].value;
      // Never more beats out than packets that were whole before: a shown beat belongs to a whole one.
      expect(
        b.io[`${unit}Packets`].value > 0,
        `${unit}: something shows although no packet is whole, cycle ${b.cycle}`,
      ).toBe(b.io[`${unit}O`].valid.value === 1);
    },
  });
  for (const p of all) for (const v of p) into.send(v);
  const want = survivors(all, depth, dropping);
  await into.drained();
  await b.until(() => out.received.length >= want.length);
  await b.cycles(8);
  complete = all.filter(p => p.length <= depth && !(dropping && p.at(-1)?.bad === 1)).length;
  expect(out.received.map(r => r.value)).toEqual(want);
  expect(dropped).toBe(all.length - complete);
  expect(b.io[`${unit}Packets`].value).toBe(0);
}

describe("PacketFifo", () => {
  for (const unit of ["seven", "eight"] as const)
    everyPressure(`${unit}: whole packets only, in order`, packets, {}, (b, from, to) =>
      packetRun(b, unit, from(), to()),
    );
  bench("latency 1 from the last beat; back to back a beat every cycle", packets, {}, async b => {
    const into = new StreamSource(b.sim, b.io.eightI),
      out = new StreamSink(b.sim, b.io.eightO);
    const sent = Array.from({ length: 40 }, (_, i) => into.send({ data: i, last: i % 4 === 3 ? 1 : 0, bad: 0 }));
    await b.until(() => out.received.length === 40);
    expect((out.received[0]?.cycle as number) - (sent[3]?.cycle as number)).toBe(1);
    expect((out.received[39]?.cycle as number) - (out.received[0]?.cycle as number)).toBe(39);
  });
  describe("planted faults are caught", () => {
    test.each([
      ["a packet that is dropped keeps its room", "tail <= start;", "tail <= tail;"],
      [
        "beats can be popped before their packet is whole",
        "assign pop_valid = head != start",
        "assign pop_valid = head != tail",
      ],
      ["the count of packets misses a pop and a commit in one cycle", /commit & ~popped_last/, "commit"],
    ] as const)("%s", (_name, from, to) =>
      findsFault(
        runBench("packets", plant(packets, from, to), { wave: false, hangCycles: 500 }, b =>
          packetRun(b, "seven", { pause: bernoulli(0.2, 1) }, { pause: never }),
        ),
        /./,
      ),
    );
  });
});

describe("AsyncFifo: planted faults are caught", () => {
  test.each([
    ["full is seen one element late", /assign push_ready = .*;/, "assign push_ready = (tail - head_seen_2) <= 5'd16;"],
    [
      "empty is not looked at",
      "assign pop_valid = head_gray != tail_seen_2;",
      "assign pop_valid = head_gray != tail_seen_2 + 5'd1;",
    ],
  ] as const)("%s", (_name, from, to) =>
    findsFault(
      runBench("crossing", plant(crossings, from, to), { wave: false, clocks: clocks[0], hangCycles: 500 }, async b => {
        const into = new StreamSource(b.sim, b.io.deepI, { domain: "a" }),
          out = new StreamSink(b.sim, b.io.deepO, { domain: "b", pause: bernoulli(0.9, 3) });
        for (let i = 0; i < 100; i++) into.send(i);
        await b.clock("b").until(() => out.received.length === 100);
        expect(out.received.map(r => r.value)).toEqual(Array.from({ length: 100 }, (_, i) => i));
      }),
      /./,
    ),
  );
});
