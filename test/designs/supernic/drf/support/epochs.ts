/** Epochs one after the other: rates by the vectors of epochs before, and what tasks then serve. */
import { drfFixed, type DrfProblem } from "../../../../../designs/supernic/drf/index.ts";

export interface Sender {
  readonly weight: number;
  /** What a byte uses in each epoch, over and over. */
  readonly vectors: readonly (readonly number[])[];
}
const part = 256,
  endless = 2 ** 24 - 1;

/** A full resource serves its users round robin: equal parts by weight, and none more than it brings. */
function fairParts(capacity: number, asked: readonly number[], weights: readonly number[]): number[] {
  const got = asked.map(() => 0);
  let left = capacity,
    open = [...asked.keys()].filter(i => (asked[i] ?? 0) > 0);
  while (open.length > 0) {
    const all = open.reduce((n, i) => n + (weights[i] ?? 0), 0),
      level = left / all,
      small = open.filter(i => (asked[i] ?? 0) <= level * (weights[i] ?? 0));
    const now = small.length > 0 ? small : open;
    for (const i of now) {
      got[i] = small.length > 0 ? (asked[i] ?? 0) : level * (weights[i] ?? 0);
      left -= got[i] ?? 0;
    }
    if (small.length === 0) break;
    open = open.filter(i => !small.includes(i));
  }
  return got;
}

const problemOf = (
  capacities: readonly number[],
  weights: readonly number[],
  vectors: DrfProblem["users"][number]["vector"][],
) => ({
  floor: 0,
  capacities,
  users: vectors.map((vector, i) => ({ weight: weights[i] ?? 1, demand: endless, vector })),
});

/**
 * Bytes of each sender that are served, and what they use on average. A rate goes by the largest use of each resource
 * in the last `memory` epochs.
 */
export function serve(capacities: readonly number[], senders: readonly Sender[], epochs: number, memory = 1) {
  const weights = senders.map(s => s.weight),
    at = (e: number): (readonly number[])[] =>
      senders.map(s => s.vectors[(e + memory * s.vectors.length) % s.vectors.length] ?? []);
  const bytes = senders.map(() => 0),
    used = senders.map(() => capacities.map(() => 0));
  for (let e = 0; e < epochs; e++) {
    const seen = Array.from({ length: memory }, (_, k) => at(e - 1 - k)),
      known = senders.map((_, i) => capacities.map((_c, j) => Math.max(...seen.map(v => v[i]?.[j] ?? 0))));
    const { rates } = drfFixed(problemOf(capacities, weights, known)),
      now = at(e);
    const parts = capacities.map((c, j) =>
      fairParts(
        c,
        rates.map((a, i) => (a * (now[i]?.[j] ?? 0)) / part),
        weights,
      ),
    );
    rates.forEach((a, i) => {
      const vector = now[i] ?? [],
        served = Math.min(a, ...vector.flatMap((r, j) => (r > 0 ? [((parts[j]?.[i] ?? 0) * part) / r] : [])));
      bytes[i] = (bytes[i] ?? 0) + served;
      vector.forEach((r, j) => {
        const row = used[i] as number[];
        row[j] = (row[j] ?? 0) + served * r;
      });
    });
  }
  return { bytes, mean: used.map((row, i) => row.map(u => Math.ceil(u / Math.max(1, bytes[i] ?? 0)))) };
}

/** What each would have if all sent the same work evenly. */
export function evenly(
  capacities: readonly number[],
  senders: readonly Sender[],
  mean: readonly (readonly number[])[],
  epochs: number,
): number[] {
  const weights = senders.map(s => s.weight);
  return drfFixed(problemOf(capacities, weights, [...mean])).rates.map(a => a * epochs);
}
