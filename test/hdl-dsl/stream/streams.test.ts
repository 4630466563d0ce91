import { describe, expect } from "vitest";
import { bench } from "../../bench.ts";
import {
  type Bench,
  bernoulli,
  bursts,
  never,
  pattern,
  type Pause,
  type Seen,
  StreamSink,
  StreamSource,
} from "../../../sim/index.ts";
import { StreamUnits } from "./units.ts";

type B = Bench<ReturnType<typeof StreamUnits>["ports"]>;
const design = StreamUnits();

/** Back-pressure of both sides, by name. The harness checks the AXI rules of every port in all of them. */
const pressures: Readonly<
  Record<string, { readonly from: (seed: number) => Pause; readonly to: (seed: number) => Pause }>
> = {
  "no pauses": { from: () => never, to: () => never },
  "slow producer": { from: s => bernoulli(0.7, s), to: () => never },
  "slow consumer": { from: () => never, to: s => bernoulli(0.7, s + 100) },
  "both random": { from: s => bernoulli(0.4, s), to: s => bernoulli(0.4, s + 100) },
  bursts: { from: s => bursts({ go: 9, pause: 9 }, s), to: s => bursts({ go: 7, pause: 11 }, s + 100) },
};

/** A bench under every kind of back-pressure. */
function everyPressure(
  name: string,
  body: (b: B, from: (n?: number) => { pause: Pause }, to: (n?: number) => { pause: Pause }) => Promise<void>,
): void {
  describe(name, () => {
    Object.entries(pressures).forEach(([kind, p], i) => {
      bench(`${name}: ${kind}`, design, { seed: 40 + i }, b =>
        body(
          b,
          (n = 0) => ({ pause: p.from(b.seed + n) }),
          (n = 0) => ({ pause: p.to(b.seed + n) }),
        ),
      );
    });
  });
}

/** The first `n` values of a sink; the wait ends with the hang check of the bench. */
async function take<V>(b: B, sink: { readonly received: readonly Seen<V>[] }, n: number): Promise<V[]> {
  await b.until(() => sink.received.length >= n);
  // Any further output is a mistake too.
  await b.cycles(8);
  return sink.received.map(s => s.value);
}
const bytes = (b: B, n: number): number[] => Array.from({ length: n }, () => b.random.between(0, 255));
const items = (b: B, n: number): { tag: number; data: number }[] =>
  Array.from({ length: n }, () => ({ tag: b.random.between(0, 15), data: b.random.between(0, 255) }));

everyPressure("map", async (b, from, to) => {
  const source = new StreamSource(b.sim, b.io.mapI, from()),
    sink = new StreamSink(b.sim, b.io.mapO, to());
  const sent = items(b, 200);
  for (const v of sent) source.send(v);
  expect(await take(b, sink, 200)).toEqual(sent.map(v => ({ sum: v.data + v.tag, tag: 15 - v.tag })));
});

everyPressure("filter", async (b, from, to) => {
  const source = new StreamSource(b.sim, b.io.filterI, from()),
    sink = new StreamSink(b.sim, b.io.filterO, to());
  const sent = bytes(b, 300),
    kept = sent.filter(v => v % 2 === 1);
  for (const v of sent) source.send(v);
  expect(await take(b, sink, kept.length)).toEqual(kept);
  await source.drained();
});

for (const kind of ["forward", "backward", "full", "connect"] as const) {
  everyPressure(`stage ${kind}`, async (b, from, to) => {
    const source = new StreamSource(b.sim, b.io[`${kind}I`], from()),
      sink = new StreamSink(b.sim, b.io[`${kind}O`], to());
    const sent = items(b, 200);
    for (const v of sent) source.send(v);
    expect(await take(b, sink, 200)).toEqual(sent);
  });
}

/**
 * Cycles from the first transfer in to the first out, and from the first to the last out for 50 in a
 * row, nothing paused.
 */
async function timing(
  b: B,
  source: StreamSource<never>,
  sink: StreamSink<never>,
  value: (i: number) => unknown,
): Promise<{ latency: number; span: number }> {
  const sent = Array.from({ length: 50 }, (_, i) => source.send(value(i) as never));
  await b.until(() => sink.received.length === 50);
  const first = sink.received[0]?.cycle as number,
    last = sink.received[49]?.cycle as number;
  return { latency: first - (sent[0]?.cycle as number), span: last - first };
}
const plainTiming: readonly (readonly [string, number])[] = [
  ["connect", 0],
  ["forward", 1],
  ["backward", 0],
  ["full", 1],
  ["fifo2", 1],
  ["fifo4", 1],
  ["fifo5", 1],
  ["fifo7", 1],
  ["single", 0],
  ["chain", 2],
];
describe("latency and initiation interval", () => {
  for (const [unit, latency] of plainTiming) {
    bench(`${unit}: latency ${latency}, one transfer a cycle`, design, {}, async b => {
      const io = b.io as unknown as Record<string, never>;
      const source = new StreamSource(b.sim, io[`${unit}I`] as never),
        sink = new StreamSink(b.sim, io[`${unit}O`] as never);
      const value = (i: number): unknown =>
        ["connect", "forward", "backward", "full", "fifo7"].includes(unit) ? { tag: i % 16, data: i } : 64 + i;
      expect(await timing(b, source as never, sink as never, value)).toEqual({ latency, span: 49 });
    });
  }

  bench("ready of backward and full does not follow the consumer in the same cycle", design, {}, async b => {
    for (const kind of ["backward", "full"] as const) {
      const seen = [];
      for (const ready of [0, 1]) {
        b.io[`${kind}O`].ready.value = ready;
        b.sim.settle();
        seen.push(b.io[`${kind}I`].ready.value);
      }
      expect([kind, seen]).toEqual([kind, [1, 1]]);
    }
    await b.cycles(1);
  });
});

for (const depth of [2, 4, 5] as const) {
  everyPressure(`fifo of ${depth}`, async (b, from, to) => {
    const source = new StreamSource(b.sim, b.io[`fifo${depth}I`], from()),
      sink = new StreamSink(b.sim, b.io[`fifo${depth}O`], to());
    const level = b.io[`fifo${depth}Level`],
      ready = b.io[`fifo${depth}I`].ready,
      valid = b.io[`fifo${depth}O`].valid;
    let inside = 0,
      taken = 0;
    b.onEdge({
      sample: () => {
        // Level, full and empty as a naive queue has them, in every cycle.
        expect([level.value, ready.value, valid.value]).toEqual([inside, inside < depth ? 1 : 0, inside > 0 ? 1 : 0]);
        inside += (b.io[`fifo${depth}I`].valid.value & ready.value) - (valid.value & b.io[`fifo${depth}O`].ready.value);
        taken = Math.max(taken, inside);
      },
    });
    const sent = bytes(b, 200);
    for (const v of sent) source.send(v);
    expect(await take(b, sink, 200)).toEqual(sent);
    expect(taken).toBeGreaterThan(0);
  });

  bench(`fifo of ${depth}: fills up, stays full with push and pop in turn, and empties`, design, {}, async b => {
    const source = new StreamSource(b.sim, b.io[`fifo${depth}I`]),
      sink = new StreamSink(b.sim, b.io[`fifo${depth}O`], { pause: () => true });
    const sent = bytes(b, 40);
    for (const v of sent) source.send(v);
    await b.cycles(depth + 5);
    expect(b.io[`fifo${depth}Level`].value).toBe(depth);
    expect(source.pending).toBe(40 - depth);
    sink.pause = never;
    expect(await take(b, sink, 40)).toEqual(sent);
    // Full rate from the first pop on: no bubble is made at full.
    expect((sink.received[39]?.cycle as number) - (sink.received[0]?.cycle as number)).toBe(39);
    expect(b.io[`fifo${depth}Level`].value).toBe(0);
  });
}

everyPressure("fifo combinator of 7, a struct inside", async (b, from, to) => {
  const source = new StreamSource(b.sim, b.io.fifo7I, from()),
    sink = new StreamSink(b.sim, b.io.fifo7O, to());
  const sent = items(b, 200);
  for (const v of sent) source.send(v);
  expect(await take(b, sink, 200)).toEqual(sent);
});

everyPressure("fork, eager", async (b, from, to) => {
  const source = new StreamSource(b.sim, b.io.eagerI, from());
  const sinks = [
    new StreamSink(b.sim, b.io.eagerO0, to(1)),
    new StreamSink(b.sim, b.io.eagerO1, to(2)),
    new StreamSink(b.sim, b.io.eagerO2, to(3)),
  ];
  const sent = bytes(b, 150);
  for (const v of sent) source.send(v);
  for (const s of sinks) expect(await take(b, s, 150)).toEqual(sent);
});

bench("fork, eager: an output takes its copy while another stalls", design, {}, async b => {
  const source = new StreamSource(b.sim, b.io.eagerI);
  const stalled = new StreamSink(b.sim, b.io.eagerO0, { pause: () => true }),
    free = new StreamSink(b.sim, b.io.eagerO1);
  const other = new StreamSink(b.sim, b.io.eagerO2);
  source.send(1);
  source.send(2);
  await b.cycles(10);
  // Its own copy once, not again each cycle.
  expect([stalled, free, other].map(s => s.received.map(r => r.value))).toEqual([[], [1], [1]]);
  stalled.pause = never;
  await take(b, stalled, 2);
  expect([stalled, free, other].map(s => s.received.map(r => r.value))).toEqual([
    [1, 2],
    [1, 2],
    [1, 2],
  ]);
});

everyPressure("fork, lazy", async (b, from, to) => {
  const source = new StreamSource(b.sim, b.io.lazyI, from());
  const sinks = [
    new StreamSink(b.sim, b.io.lazyO0, { pause: to(1).pause }),
    new StreamSink(b.sim, b.io.lazyO1, { pause: never }),
  ];
  const sent = bytes(b, 150);
  for (const v of sent) source.send(v);
  const got = await Promise.all(sinks.map(s => take(b, s, 150)));
  expect(got).toEqual([sent, sent]);
  // All take it in the same cycle.
  expect(sinks[0]?.received.map(r => r.cycle)).toEqual(sinks[1]?.received.map(r => r.cycle));
});

everyPressure("join", async (b, from, to) => {
  const left = new StreamSource(b.sim, b.io.joinA, from(1)),
    right = new StreamSource(b.sim, b.io.joinB, from(2)),
    sink = new StreamSink(b.sim, b.io.joinO, to());
  const pairs = Array.from({ length: 150 }, () => ({ a: b.random.between(0, 255), b: b.random.between(0, 15) }));
  for (const p of pairs) {
    left.send(p.a);
    right.send(p.b);
  }
  expect(await take(b, sink, 150)).toEqual(pairs);
});

const three = [0, 1, 2] as const;
for (const unit of ["robin", "priority", "locked"] as const) {
  everyPressure(`arbiter ${unit}: every source's values, in its order`, async (b, from, to) => {
    const sources = three.map(i => new StreamSource(b.sim, b.io[`${unit}I${i}`], from(i)));
    const sink = new StreamSink(b.sim, b.io[`${unit}O`], to());
    const sent = three.map(i => {
      const packets = Array.from({ length: 30 }, () => b.random.between(1, 4));
      return packets.flatMap(n =>
        Array.from({ length: n }, (_, k) => ({ from: i, data: b.random.between(0, 255), last: k === n - 1 ? 1 : 0 })),
      );
    });
    sent.forEach((list, i) => {
      for (const v of list) sources[i]?.send(v);
    });
    const got = await take(b, sink, sent.flat().length);
    for (const i of three) expect(got.filter(v => v.from === i)).toEqual(sent[i]);
    if (unit === "locked") {
      // Packets stay whole: the source changes only after a last beat.
      got.forEach((v, k) => {
        if (k > 0 && got[k - 1]?.last === 0) expect(v.from).toBe(got[k - 1]?.from);
      });
    }
  });
}

bench("arbiter, round robin: busy sources take turns, and an idle one is passed over", design, {}, async b => {
  const sources = three.map(i => new StreamSource(b.sim, b.io[`robinI${i}`])),
    sink = new StreamSink(b.sim, b.io.robinO, { pause: pattern("--#-#") });
  for (const i of three)
    for (let k = 0; k < 20; k++) if (i !== 1 || k < 10) sources[i]?.send({ from: i, data: k, last: 1 });
  const order = (await take(b, sink, 50)).map(v => v.from);
  for (let k = 3; k < 30; k++) expect(order[k]).toBe(order[k - 3]);
  expect(new Set(order.slice(0, 3))).toEqual(new Set(three));
  for (let k = 32; k < 50; k++) expect(order[k]).toBe(order[k - 2]);
});

bench("arbiter, priority: the lowest number goes first", design, {}, async b => {
  const sources = three.map(i => new StreamSource(b.sim, b.io[`priorityI${i}`])),
    sink = new StreamSink(b.sim, b.io.priorityO, { pause: pattern("-#") });
  for (const i of three) for (let k = 0; k < 10; k++) sources[i]?.send({ from: i, data: k, last: 1 });
  expect((await take(b, sink, 30)).map(v => v.from)).toEqual(three.flatMap(i => Array.from({ length: 10 }, () => i)));
});

bench("arbiter, locked: a gap in a packet lets nobody else in", design, {}, async b => {
  const first = new StreamSource(b.sim, b.io.lockedI1),
    second = new StreamSource(b.sim, b.io.lockedI2),
    sink = new StreamSink(b.sim, b.io.lockedO);
  first.send({ from: 1, data: 1, last: 0 });
  await b.until(() => sink.received.length === 1);
  second.send({ from: 2, data: 9, last: 1 });
  await b.cycles(10);
  expect(sink.received.length).toBe(1);
  first.send({ from: 1, data: 2, last: 1 });
  expect((await take(b, sink, 3)).map(v => v.data)).toEqual([1, 2, 9]);
});

everyPressure("arbiter of one", async (b, from, to) => {
  const source = new StreamSource(b.sim, b.io.singleI, from()),
    sink = new StreamSink(b.sim, b.io.singleO, to());
  const sent = bytes(b, 100);
  for (const v of sent) source.send(v);
  expect(await take(b, sink, 100)).toEqual(sent);
});

everyPressure("demux, numbers past the last output dropped", async (b, from, to) => {
  const source = new StreamSource(b.sim, b.io.demuxI, from());
  const sinks = [
    new StreamSink(b.sim, b.io.demuxO0, to(1)),
    new StreamSink(b.sim, b.io.demuxO1, to(2)),
    new StreamSink(b.sim, b.io.demuxO2, to(3)),
  ];
  const sent = items(b, 200);
  for (const v of sent) source.send(v);
  await source.drained();
  for (const [i, s] of sinks.entries()) expect(await take(b, s, 0)).toEqual(sent.filter(v => (v.tag & 3) === i));
});

everyPressure("gate: as many as were granted, no more", async (b, from, to) => {
  const source = new StreamSource(b.sim, b.io.gateI, from()),
    sink = new StreamSink(b.sim, b.io.gateO, to());
  const sent = bytes(b, 60);
  for (const v of sent) source.send(v);
  let granted = 0;
  b.onEdge({
    sample: () => {
      if (b.io.gateGrant.value === 1) granted++;
      expect(sink.received.length).toBeLessThanOrEqual(granted);
    },
    drive: () => {
      b.io.gateGrant.value = b.io.gateCredit.value < 12 && granted < 59 && b.random.chance(0.3) ? 1 : 0;
    },
  });
  await b.until(() => sink.received.length === granted && granted >= 59);
  await b.cycles(20);
  expect(sink.received.map(s => s.value)).toEqual(sent.slice(0, granted));
  expect(b.io.gateO.valid.value).toBe(0);
});

everyPressure("a chain of combinators", async (b, from, to) => {
  const source = new StreamSource(b.sim, b.io.chainI, from()),
    sink = new StreamSink(b.sim, b.io.chainO, to());
  const sent = Array.from({ length: 200 }, () => b.random.between(0, 15)),
    kept = sent.filter(v => v !== 7).map(v => v + 1);
  for (const v of sent) source.send(v);
  expect(await take(b, sink, kept.length)).toEqual(kept);
});
