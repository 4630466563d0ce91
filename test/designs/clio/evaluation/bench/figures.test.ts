import { expect, it } from "vitest";
import {
  latencyReport,
  measureElaboration,
  measureFirstTouches,
  measureLatency,
  measureState,
  measureThroughput,
  speedReport,
  stateReport,
  throughputReport,
} from "../../../../../designs/clio/evaluation/index.ts";

// How fast things are is for `mnemo bench` to say and no test's verdict; here: that it is really measured, and the
// same each time.

it("latencies: of every kind, without spread, misses and faults longer than hits by a memory access at least", async () => {
  const figures = await measureLatency(1),
    of = (kind: string): number => figures.rows.find(r => r.kind === kind)?.most ?? 0;
  for (const r of figures.rows) expect([r.kind, r.samples, r.most - r.least]).toEqual([r.kind, 12, 0]);
  for (const access of ["read", "write"]) {
    expect(of(`${access} hit`)).toBeGreaterThan(figures.memory);
    expect(of(`${access} miss`)).toBeGreaterThanOrEqual(of(`${access} hit`) + figures.memory);
    expect(of(`${access} fault`)).toBeGreaterThanOrEqual(of(`${access} miss`));
  }
  expect(await measureLatency(1)).toEqual(figures);
  expect(latencyReport(figures).split("\n").length).toBe(3 + figures.rows.length + 2);
});

it("throughput: what the wire allows is an upper bound, and reads wait for their replies' wire", async () => {
  const rows = await measureThroughput(1, () => [58, 1024]);
  expect(rows.map(r => [r.kind, r.dataBytes, r.requestBytes, r.replyBytes, r.allowed])).toEqual([
    ["read", 58, 70, 128, 2],
    ["read", 1024, 70, 1094, 18],
    ["write", 58, 128, 70, 2],
    ["write", 1024, 1094, 70, 18],
  ]);
  for (const r of rows) expect(r.taken).toBeGreaterThanOrEqual(r.allowed);
  expect(rows[1]?.rxStalls).toBeGreaterThan(0);
  expect(throughputReport(rows)).toContain("data Gbit/s");
});

it("first touches: every frame is a fault, and all the cycles are accounted for", async () => {
  const r = await measureFirstTouches(1, 16, 100);
  expect(r.faults).toBe(100);
  expect(r.cycles).toBe(r.beats + r.stalls);
});

it("state: what 3 x TIMEOUT x bandwidth takes is remembered, in about the paper's bytes", () => {
  const s = measureState(),
    { operations, results, clients, inFlight, total } = s.bytes;
  expect([s.gbps, s.smallestWrite, s.needed, s.entries]).toEqual([128, 95, 2022, 2048]);
  expect(operations + results + clients + inFlight).toBe(total);
  expect(Math.abs(total / s.goalBytes - 1)).toBeLessThan(0.05);
  expect(stateReport(s)).toContain("goal: remembered 2,048 >= 2,022");
});

it("elaboration counts what it has built", () => {
  const e = measureElaboration();
  expect(e.nodes).toBeGreaterThan(5000);
  expect(e.modules).toBeGreaterThan(20);
});

it("speeds are shown against C++", () => {
  const judging = [
    { simulator: "one", bench: 50_000, judged: 20_000 },
    { simulator: "another", bench: 2, judged: 1 },
  ];
  const rows = speedReport({ cycles: 1000, bench: 50_000, judging, typescript: 90_000, cxx: 100_000 })
    .split("\n")
    .map(l => l.split(/ {2,}/));
  expect(rows.slice(3, 6).map(r => r.slice(1))).toEqual([
    ["100,000", "1.00"],
    ["90,000", "0.90"],
    ["50,000", "0.50"],
  ]);
  expect(rows.slice(-2)).toEqual([
    ["one", "50,000", "20,000", "0.40", "missed"],
    ["another", "2", "1", "0.50", "reached"],
  ]);
});
