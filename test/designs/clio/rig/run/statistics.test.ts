import { expect, it } from "vitest";
import { byType, gbps, latencies, percentile } from "../../../../../designs/clio/rig/run/statistics.ts";
import { codeOf } from "../../../../../designs/clio/rig/run/run-clio.ts";
import { counterLine, requestTable, verdict } from "../../../../../designs/clio/rig/run/report.ts";
import { type CounterName, counterNames } from "../../../../../designs/clio/config/index.ts";
import type { Played } from "../../../../../designs/clio/rig/node/index.ts";

const request = (
  name: string,
  latency: number | undefined,
  status: number | undefined = latency === undefined ? undefined : 0,
  silence?: string,
): Played => ({ name, length: 70, start: 0, end: 1, status, silence, latency });

it("percentiles are values that occurred, by nearest rank", () => {
  const hundred = Array.from({ length: 100 }, (_, i) => i + 1);
  expect([0.5, 0.9, 0.99, 1, 0.001].map(p => percentile(hundred, p))).toEqual([50, 90, 99, 100, 1]);
  expect(latencies([7])).toEqual({ p50: 7, p90: 7, p99: 7, max: 7 });
  expect(latencies([30, 10, 20])).toEqual({ p50: 20, p90: 30, p99: 30, max: 30 });
  expect(latencies([])).toBeUndefined();
});

it("requests are counted by type, with and without an answer", () => {
  expect([
    ...byType([request("READ", 9), request("WRITE", 5), request("READ", 1, 3), request("READ", undefined)]),
  ]).toEqual([
    ["READ", { requests: 3, answered: 2, ok: 1, latencyCycles: { p50: 1, p90: 9, p99: 9, max: 9 } }],
    ["WRITE", { requests: 1, answered: 1, ok: 1, latencyCycles: { p50: 5, p90: 5, p99: 5, max: 5 } }],
  ]);
});

it("throughput is bits over simulated time", () => {
  expect(gbps(64, 1)).toBe(128);
  expect(gbps(0, 0)).toBe(0);
});

it("a long capture shows its first 40 requests and says how many more there are", () => {
  const shown = (n: number): string[] => requestTable(Array.from({ length: n }, () => request("READ", 62))).split("\n");
  expect(shown(49).length).toBe(2 + 49);
  expect(shown(1200).length).toBe(2 + 40 + 1);
  expect(shown(1200).at(-1)).toBe("... and 1,160 more (--stats has the totals, the replies are in --out)");
});

it("a request that got no reply says why", () => {
  const table = requestTable([
    request("READ", undefined, undefined, "dropIp"),
    request("WRITE_NOREPLY", undefined, undefined, "unanswered"),
    request("READ", undefined, undefined, "lost"),
  ]);
  expect(
    table
      .split("\n")
      .slice(2)
      .map(l =>
        l
          .split("  ")
          .filter(c => c !== "")
          .at(-1),
      ),
  ).toEqual(["dropped: another destination IPv4 address", "no reply is due", "LOST: a reply was due"]);
});

it("counters that are not 0 are told", () => {
  const all = Object.fromEntries(counterNames.map(n => [n, 0n])) as Record<CounterName, bigint>;
  expect(counterLine(all)).toBe("counters: all 0");
  expect(counterLine({ ...all, rxFrames: 1234n, reads: 1n })).toBe("counters: rxFrames 1,234, reads 1");
});

it("a difference from the model is shown and is the run's failure", () => {
  const result = { requests: [], replies: [], cycles: 0, skipped: 0, comparedBytes: 1234, problems: [] as string[] };
  expect(verdict(result)).toBe("1,234 bytes of replies compared with the reference model: no difference");
  expect(codeOf(result)).toBe(0);
  const wrong = { ...result, problems: Array.from({ length: 12 }, (_, i) => `difference ${i}`) };
  expect(verdict(wrong).split("\n")).toEqual([
    "1,234 bytes of replies compared with the reference model: 12 differences",
    ...wrong.problems.slice(0, 10).map(p => `  ${p}`),
    "  ... and 2 more",
  ]);
  expect(codeOf(wrong)).toBe(1);
});
