import { clockPeriod } from "../../config/index.ts";
import type { Played } from "../node/index.ts";

/**
 * Latencies in cycles, from a request's last beat in to its reply's first beat out. Percentiles are values that
 * occurred (nearest rank).
 */
export interface Latencies {
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
}
/** Outcome of the requests of one type. */
export interface TypeStatistics {
  readonly requests: number;
  readonly answered: number;
  /** Of the answered: with status OK. */
  readonly ok: number;
  readonly latencyCycles: Latencies | undefined;
}

/** The smallest value that is not exceeded by `share` of all. @param sorted ascending, one or more */
export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** Latencies of some requests; undefined when there are none. */
export function latencies(values: readonly number[]): Latencies | undefined {
  if (values.length === 0) return undefined;
  const sorted = [...values].sort((a, b) => a - b);
  return {
    p50: percentile(sorted, 0.5),
    p90: percentile(sorted, 0.9),
    p99: percentile(sorted, 0.99),
    max: sorted.at(-1) ?? Number.NaN,
  };
}

/** By type, in the order in which the types came up. */
export function byType(requests: readonly Played[]): ReadonlyMap<string, TypeStatistics> {
  const groups = new Map<string, Played[]>();
  for (const r of requests) {
    const g = groups.get(r.name);
    if (g) g.push(r);
    else groups.set(r.name, [r]);
  }
  return new Map(
    [...groups].map(([name, g]) => {
      const answered = g.filter(r => r.status !== undefined);
      return [
        name,
        {
          requests: g.length,
          answered: answered.length,
          ok: answered.filter(r => r.status === 0).length,
          latencyCycles: latencies(answered.flatMap(r => r.latency ?? [])),
        },
      ];
    }),
  );
}

/** Bytes in cycles as Gbit/s; 0 in no time. */
export const gbps = (bytes: number, cycles: number): number =>
  cycles === 0 ? 0 : (bytes * 8) / (cycles * clockPeriod);
