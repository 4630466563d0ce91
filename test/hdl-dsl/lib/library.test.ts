import { describe, expect, test } from "vitest";
import { bench } from "../../bench.ts";
import {
  axisBeat,
  AxisRegister,
  bit,
  connect,
  emit,
  Fifo,
  instance,
  module,
  output,
  RoundRobinArbiter,
  sink,
  SkidBuffer,
  source,
  type StreamIn,
  type StreamOut,
  struct,
  uint,
  WidthAdapter,
} from "../../../hdl-dsl/index.ts";
import { libraryModules } from "../../../hdl-dsl/lib/index.ts";
import { lint } from "../support/lint.ts";
import {
  AxisSink,
  AxisSource,
  type Bench,
  bernoulli,
  bursts,
  never,
  type Pause,
  StreamSink,
  StreamSource,
} from "../../../sim/index.ts";

const word = uint(16);
const Beat = struct({ data: uint(8), last: bit });

/** Width pairs of the adapter in the model: up, up by 3, down, down by 3, equal. */
const widths = [
  [1, 4],
  [2, 6],
  [8, 2],
  [6, 2],
  [4, 4],
] as const;
type WidthName = `w${1 | 2 | 4 | 6 | 8}To${2 | 4 | 6}`;

/** The library side by side: one simulation model for all its tests. */
const LibraryUnits = module(
  "LibraryUnits",
  () => ({
    fifoI: sink(word),
    fifoO: source(word),
    fifoLevel: output(uint(3)),
    oneI: sink(word),
    oneO: source(word),
    distributedI: sink(word),
    distributedO: source(word),
    skidI: sink(word),
    skidO: source(word),
    robin0: sink(word),
    robin1: sink(word),
    robin2: sink(word),
    robinO: source(struct({ from: uint(2), value: word })),
    whole0: sink(Beat),
    whole1: sink(Beat),
    wholeO: source(struct({ from: uint(1), value: Beat })),
    sliceI: sink(axisBeat(8)),
    sliceO: source(axisBeat(8)),
    w1To4I: sink(axisBeat(1)),
    w1To4O: source(axisBeat(4)),
    w2To6I: sink(axisBeat(2)),
    w2To6O: source(axisBeat(6)),
    w8To2I: sink(axisBeat(8)),
    w8To2O: source(axisBeat(2)),
    w6To2I: sink(axisBeat(6)),
    w6To2O: source(axisBeat(2)),
    w4To4I: sink(axisBeat(4)),
    w4To4O: source(axisBeat(4)),
  }),
  io => {
    const queue = instance(Fifo({ shape: word, depth: 6 })),
      one = instance(Fifo({ shape: word, depth: 1 })),
      skid = instance(SkidBuffer({ shape: word }));
    connect(io.fifoI, queue.push);
    connect(queue.pop, io.fifoO);
    io.fifoLevel.set(queue.level);
    connect(io.oneI, one.push);
    connect(one.pop, io.oneO);
    const distributed = instance(Fifo({ shape: word, depth: 5, style: "distributed" }));
    connect(io.distributedI, distributed.push);
    connect(distributed.pop, io.distributedO);
    connect(io.skidI, skid.from);
    connect(skid.to, io.skidO);
    const robin = instance(RoundRobinArbiter({ shape: word, sources: 3 })),
      whole = instance(RoundRobinArbiter({ shape: Beat, sources: 2, last: "last" }));
    connect(io.robin0, robin.from0);
    connect(io.robin1, robin.from1);
    connect(io.robin2, robin.from2);
    connect(robin.to, io.robinO);
    connect(io.whole0, whole.from0);
    connect(io.whole1, whole.from1);
    connect(whole.to, io.wholeO);
    const slice = instance(AxisRegister({ bytes: 8 }));
    connect(io.sliceI, slice.from);
    connect(slice.to, io.sliceO);
    for (const [fromBytes, toBytes] of widths) {
      const name = `w${fromBytes}To${toBytes}` as const satisfies WidthName,
        ports = io as unknown as Readonly<Record<string, never>>;
      const adapter = instance(name, WidthAdapter({ fromBytes, toBytes }));
      connect(ports[`${name}I`] as unknown as StreamIn<ReturnType<typeof axisBeat>>, adapter.from);
      connect(adapter.to, ports[`${name}O`] as unknown as StreamOut<ReturnType<typeof axisBeat>>);
    }
  },
);
const design = LibraryUnits();
type B = Bench<(typeof design)["ports"]>;

const pressures: readonly (readonly [string, (seed: number) => Pause, (seed: number) => Pause])[] = [
  ["no pauses", () => never, () => never],
  ["random", s => bernoulli(0.4, s), s => bernoulli(0.4, s + 50)],
  ["slow consumer", () => never, s => bernoulli(0.7, s + 50)],
  ["bursts", s => bursts({ go: 8, pause: 8 }, s), s => bursts({ go: 6, pause: 9 }, s + 50)],
];
function everyPressure(
  name: string,
  body: (b: B, from: () => { pause: Pause }, to: () => { pause: Pause }) => Promise<void>,
): void {
  pressures.forEach(([kind, from, to], i) => {
    bench(`${name}: ${kind}`, design, { seed: 70 + i }, b => {
      let n = b.seed;
      return body(
        b,
        () => ({ pause: from(n++) }),
        () => ({ pause: to(n++) }),
      );
    });
  });
}

describe("Fifo, SkidBuffer", () => {
  for (const unit of ["fifo", "one", "distributed", "skid"] as const) {
    everyPressure(unit, async (b, from, to) => {
      const into = new StreamSource(b.sim, b.io[`${unit}I`], from()),
        out = new StreamSink(b.sim, b.io[`${unit}O`], to());
      const sent = Array.from({ length: 150 }, () => b.random.between(0, 65535));
      for (const v of sent) into.send(v);
      await b.until(() => out.received.length === 150);
      await b.cycles(5);
      expect(out.received.map(r => r.value)).toEqual(sent);
    });
  }
  bench("SkidBuffer: latency 0; ready comes from a register", design, {}, async b => {
    const into = new StreamSource(b.sim, b.io.skidI),
      out = new StreamSink(b.sim, b.io.skidO);
    const sent = Array.from({ length: 20 }, (_, i) => into.send(i));
    await b.until(() => out.received.length === 20);
    expect(out.received.map(r => r.cycle)).toEqual(sent.map(s => s.cycle));
    const ready: number[] = [];
    for (const r of [0, 1]) {
      b.io.skidO.ready.value = r;
      b.sim.settle();
      ready.push(b.io.skidI.ready.value);
    }
    expect(ready).toEqual([1, 1]);
  });
  bench("Fifo of 1: a push and a pop take turns", design, {}, async b => {
    const into = new StreamSource(b.sim, b.io.oneI),
      out = new StreamSink(b.sim, b.io.oneO);
    for (let i = 0; i < 10; i++) into.send(i);
    await b.until(() => out.received.length === 10);
    expect((out.received[9]?.cycle as number) - (out.received[0]?.cycle as number)).toBe(18);
  });
});

describe("RoundRobinArbiter", () => {
  everyPressure("tags every value with its source, keeps each source's order", async (b, from, to) => {
    const into = ([0, 1, 2] as const).map(i => new StreamSource(b.sim, b.io[`robin${i}`], from())),
      out = new StreamSink(b.sim, b.io.robinO, to());
    const sent = into.map(s => {
      const list = Array.from({ length: 60 }, () => b.random.between(0, 65535));
      for (const v of list) s.send(v);
      return list;
    });
    await b.until(() => out.received.length === 180);
    for (const i of [0, 1, 2])
      expect(out.received.filter(r => r.value.from === i).map(r => r.value.value)).toEqual(sent[i]);
  });
  bench("nobody waits for more than sources - 1 transfers", design, {}, async b => {
    const into = ([0, 1, 2] as const).map(i => new StreamSource(b.sim, b.io[`robin${i}`])),
      out = new StreamSink(b.sim, b.io.robinO);
    for (const s of into) for (let k = 0; k < 30; k++) s.send(k);
    await b.until(() => out.received.length === 90);
    for (let k = 0; k + 3 <= 90; k++) expect(new Set(out.received.slice(k, k + 3).map(r => r.value.from)).size).toBe(3);
  });
  everyPressure("keeps packets whole", async (b, from, to) => {
    const into = ([0, 1] as const).map(i => new StreamSource(b.sim, b.io[`whole${i}`], from())),
      out = new StreamSink(b.sim, b.io.wholeO, to());
    for (const s of into) for (let k = 0; k < 60; k++) s.send({ data: k, last: k % 3 === 2 ? 1 : 0 });
    await b.until(() => out.received.length === 120);
    const got = out.received.map(r => r.value);
    got.forEach((v, k) => {
      if (k > 0 && got[k - 1]?.value.last === 0) expect(v.from).toBe(got[k - 1]?.from);
    });
    for (const i of [0, 1])
      expect(got.filter(v => v.from === i).map(v => v.value.data)).toEqual(Array.from({ length: 60 }, (_, k) => k));
  });
});

describe("AXI-Stream: AxisRegister, WidthAdapter", () => {
  const units = ["slice", "w1To4", "w2To6", "w8To2", "w6To2", "w4To4"] as const;
  for (const unit of units) {
    everyPressure(`${unit}: frames of every length`, async (b, from, to) => {
      const into = new AxisSource(b.sim, b.io[`${unit}I`], from()),
        out = new AxisSink(b.sim, b.io[`${unit}O`], to());
      const frames = [
        ...Array.from({ length: 20 }, (_, i) => i + 1),
        ...Array.from({ length: 10 }, () => b.random.between(1, 80)),
      ].map(n => b.random.bytes(n));
      for (const f of frames) into.send(f);
      for (const f of frames) expect([...(await out.recv()).bytes]).toEqual([...f]);
      await b.cycles(8);
      expect(out.take()).toBeUndefined();
    });
  }

  bench("timing: the narrow side moves a beat every cycle; the slice adds one cycle", design, {}, async b => {
    const expected = {
      slice: [16, 1],
      w1To4: [64, 1],
      w2To6: [42, 1],
      w8To2: [32, 0],
      w6To2: [48, 0],
      w4To4: [16, 0],
    } as const;
    for (const unit of units) {
      const into = new AxisSource(b.sim, b.io[`${unit}I`]),
        out = new AxisSink(b.sim, b.io[`${unit}O`]);
      const [fromBytes] = unit === "slice" ? [8] : (unit.slice(1).split("To").map(Number) as [number]);
      const toBytes = unit === "slice" ? 8 : Number(unit.split("To")[1]);
      const bytes = unit === "slice" ? 128 : unit === "w6To2" ? 96 : unit === "w2To6" ? 84 : 64;
      const sent = into.send(b.random.bytes(bytes));
      const got = await out.recv();
      const beats = bytes / Math.min(fromBytes, toBytes);
      expect([unit, beats]).toEqual([unit, expected[unit][0]]);
      // From the first narrow beat to the last: one a cycle. The last one out comes `latency` after the last one in.
      expect([
        unit,
        (toBytes > fromBytes ? (sent.end as number) - (sent.start as number) : got.end - got.start) + 1,
      ]).toEqual([unit, beats]);
      expect([unit, got.end - (sent.end as number)]).toEqual([unit, expected[unit][1]]);
    }
  });

  test("a ratio that is not whole is refused", () => {
    expect(() => WidthAdapter({ fromBytes: 3, toBytes: 8 })).toThrow(
      "WidthAdapter: fromBytes 3 and toBytes 8 are no whole multiple of one another; choose widths of which one divides the other",
    );
  });
});

test("the modules that are generated by default: their names, and that they are emitted", () => {
  expect(libraryModules.map(d => d.name)).toEqual([
    "Fifo_uint64_d16_auto",
    "RoundRobinArbiter_uint32_sources4",
    "SkidBuffer_uint32",
    "AxisRegister_bytes8",
    "WidthAdapter_fromBytes8_toBytes64",
  ]);
  for (const d of libraryModules) expect(emit(d).files.at(-1)?.name).toBe(`${d.name}.v`);
});

test.each(
  [...libraryModules, ...widths.map(([fromBytes, toBytes]) => WidthAdapter({ fromBytes, toBytes }))].map(
    d => [d.name, d] as const,
  ),
)("%s: Verilator, Icarus and Yosys accept it without a waiver", (_name, d) => {
  expect(lint(emit(d))).toBe("");
});
