import type { Definition, Options, Result } from "../../../shared/evaluation/index.ts";
import type { WicCall } from "../../model/index.ts";
import { engineRun, nsPerCycle } from "../measure.ts";

const hops = 8;
const walksOf = (n: number): WicCall[] => Array.from({ length: n }, () => ({ program: 0, words: [BigInt(hops)] }));
/** Accesses a second, in millions. */
const rate = (accesses: number, cycles: number): number => (accesses * 1000) / (cycles * nsPerCycle);

const latency = 500;
/** Throughput of traversals by the number of contexts. */
async function byContexts({ seed, quick }: Options): Promise<Result> {
  const counts = quick ? [1, 4, 16] : [1, 2, 4, 8, 16, 32, 64],
    rounds = quick ? 4 : 10;
  const measured: { x: number; y: number }[] = [],
    law: { x: number; y: number }[] = [];
  const one = await engineRun("list", { contexts: 1 }, latency, walksOf(rounds), seed),
    hop = one.cycles / (rounds * hops),
    // Four instructions and a change of context for each access.
    occupancy = 4 * 4 + 4;
  for (const contexts of counts) {
    const n = rounds * contexts,
      { cycles } = await engineRun("list", { contexts, maxInFlight: 64 }, latency, walksOf(n), seed);
    measured.push({ x: contexts, y: rate(n * hops, cycles) });
    law.push({ x: contexts, y: rate(Math.min(contexts / hop, 1 / occupancy), 1) });
  }
  const ratio = measured.map((m, i) => ({ x: m.x, y: m.y / (law[i]?.y ?? 1) }));
  return {
    plots: [
      {
        title: "Accesses a second by the number of contexts",
        kind: "lines",
        x: { label: "number of contexts", scale: "log2" },
        y: { label: "accesses", unit: "million/s", scale: "linear" },
        series: [
          { name: "measured", standing: "calibrated", points: measured },
          { name: "contexts over latency, at most one over occupancy", standing: "calibrated", points: law },
        ],
      },
      {
        title: "Measured over the law",
        kind: "lines",
        x: { label: "number of contexts", scale: "log2" },
        y: { label: "ratio", unit: "1", scale: "linear" },
        series: [{ name: "ratio", standing: "calibrated", points: ratio }],
      },
    ],
    claims: [
      ["More contexts never bring less.", { kind: "rising", series: "measured", slack: 0.03 }],
      [
        "Throughput is what contexts over latency and the core's occupancy allow, within 20 %.",
        { kind: "within", series: "ratio", from: 1, to: 64, least: 0.8, most: 1.05 },
      ],
    ],
  };
}

/** Throughput by what a change of context costs. */
async function byYield({ seed, quick }: Options): Promise<Result> {
  const costs = quick ? [0, 50] : [0, 12, 50, 100, 375],
    n = quick ? 32 : 96;
  const points: { x: number; y: number }[] = [],
    perAccess: { x: number; y: number }[] = [];
  for (const yieldCycles of costs) {
    const { cycles } = await engineRun(
      "list",
      { contexts: 32, maxInFlight: 32, yieldCycles },
      latency,
      walksOf(n),
      seed,
    );
    points.push({ x: yieldCycles * nsPerCycle, y: rate(n * hops, cycles) });
    perAccess.push({ x: yieldCycles * nsPerCycle, y: cycles / (n * hops) });
  }
  return {
    plots: [
      {
        title: "Accesses a second by the cost of a change of context, 32 contexts",
        kind: "lines",
        x: { label: "a change", unit: "ns", scale: "linear" },
        y: { label: "accesses", unit: "million/s", scale: "linear" },
        series: [{ name: "accesses", standing: "calibrated", points }],
      },
      {
        title: "Cycles of the core for an access",
        kind: "lines",
        x: { label: "a change", unit: "ns", scale: "linear" },
        y: { label: "cycles", unit: "cycles", scale: "linear" },
        series: [{ name: "cycles for an access", standing: "calibrated", points: perAccess }],
      },
    ],
    claims: [["A dearer change costs throughput.", { kind: "rising", series: "cycles for an access", slack: 0 }]],
  };
}

/** Appends to a log under one lock, by the number of contexts. */
async function byLock({ seed, quick }: Options): Promise<Result> {
  const counts = quick ? [2, 8] : [1, 2, 4, 8, 16],
    appends = quick ? 16 : 48;
  const points: { x: number; y: number }[] = [];
  for (const contexts of counts) {
    const calls = Array.from({ length: appends }, (_, i): WicCall => ({ program: 0, words: [BigInt(i), 1000n] })),
      { cycles } = await engineRun("log", { contexts }, latency, calls, seed);
    points.push({ x: contexts, y: rate(appends, cycles) });
  }
  return {
    plots: [
      {
        title: "Appends a second under one lock",
        kind: "lines",
        x: { label: "number of contexts", scale: "log2" },
        y: { label: "appends", unit: "million/s", scale: "linear" },
        series: [{ name: "appends", standing: "calibrated", points }],
      },
    ],
    claims: [["More contexts bring nothing where a lock is held.", { kind: "flat", series: "appends", within: 0.35 }]],
  };
}
const given = [{ what: "an access", value: `${latency} cycles, 2 µs`, source: "chosen" }];

export const contextsFigure: Definition = {
  number: "3.9",
  title: "Throughput by the number of contexts",
  paper: [["3.6.4", "Many accesses at a time bring 8.4 to 12.1 times the throughput of one."]],
  given,
  notes: [
    "The law: contexts over the latency of an access, at most one over the cycles that an access keeps the core.",
  ],
  measure: byContexts,
};
export const yieldFigure: Definition = {
  number: "3.11",
  title: "Throughput by the cost of a change of context",
  paper: [["3.6.4", "Throughput falls by 24 to 29 % at 50 ns more, and to a half and less at 200 ns more."]],
  given,
  notes: ["The paper's shares belong to its core, which an access keeps 417 ns; here it is 80."],
  measure: byYield,
};
export const lockFigure: Definition = {
  number: "3.4",
  title: "A log under one lock",
  paper: [["3.6.2", "The lock bounds the SmartNIC: 100 thousand operations a second, and more cores bring nothing."]],
  given,
  notes: ["All operations are appends. Who waits asks for the lock again and again, with accesses of its own."],
  measure: byLock,
};
