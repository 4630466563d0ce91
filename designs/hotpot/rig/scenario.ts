/** Commits of several coordinators at once, with the engine's own times. */
import { Random } from "../../../sim/index.ts";
import type { Settings } from "../config/index.ts";
import type { Commit } from "../coordinator/index.ts";
import { marks, type Message } from "../wire/index.ts";
import { Cluster, homeAt } from "./cluster.ts";
import type { Times } from "./times.ts";

/** Cycles of a way between coordinator and node: 1 us at 250 MHz. */
export const wayCycles = 250;

export interface Scenario {
  readonly settings: Settings;
  readonly times: Times;
  readonly merged: boolean;
  /** Coordinators that commit at the same moment, and whether all of the same pages. */
  readonly lanes: number;
  readonly conflict: boolean;
  readonly seed: number;
}
export interface Commits {
  /** Mean cycles from the beginning to when the client may go on. */
  readonly cycles: number;
  /** Messages of a commit, without answers, and tries of one. */
  readonly messages: number;
  readonly tries: number;
  /** Bytes of a commit's frames on the client's line, and on the nodes', both ways. */
  readonly bytes: { readonly client: number; readonly nodes: number };
}

const commitOf = (
  { settings: s, merged, conflict }: Scenario,
  lane: number,
  nodes: number,
  random: Random,
): Commit => ({
  merged,
  shares: Array.from({ length: s.owners }, (_, i) => ({
    node: i,
    replicas: Array.from({ length: s.copies - 1 }, (_, c) => (i + c + 1) % nodes),
    areas: Array.from({ length: s.areas }, (_, a) => ({
      va: homeAt + 4096n * BigInt((conflict ? 0 : lane * s.areas * s.owners) + i * s.areas + a),
      data: random.bytes(64 * s.lines),
    })),
  })),
});
const workOf =
  (t: Times) =>
  (_: number, { kind, part = 0, parts = 1, marks: mark = 0 }: Message): number => {
    if (kind === "prepare")
      return (mark & marks.merged) !== 0 && part === parts - 1 ? t.merged : (t.prepare[part] ?? t.merged);
    return kind === "commit" ? t.commit : kind === "update" ? t.update : t.forget;
  };

export function measureCommits(o: Scenario): Commits {
  const { settings: s, times, lanes, seed } = o,
    nodes = Math.max(s.owners, s.copies),
    random = new Random(seed);
  const cluster = new Cluster(
    {
      ...{ nodes, lanes, random, lost: 0, doubled: 0, delay: [wayCycles, wayCycles], late: 0 },
      ...{ timeout: 100_000, backoff: 2000, work: workOf(times) },
    },
    4096 * s.areas * s.owners * lanes,
  );
  const ends = new Map<number, number>(),
    from = cluster.now;
  for (const c of cluster.lanes) cluster.begin(c.lane, commitOf(o, c.lane, nodes, random));
  cluster.runUntil(() => {
    for (const c of cluster.lanes) if (c.outcome !== undefined && !ends.has(c.lane)) ends.set(c.lane, cluster.now);
    return cluster.idle;
  }, 10_000_000);
  const mean = (all: readonly number[]): number => all.reduce((a, b) => a + b, 0) / all.length;
  return {
    cycles: mean([...ends.values()].map(e => e - from)),
    messages: mean(cluster.lanes.map(c => c.sent)),
    tries: mean(cluster.lanes.map(c => c.tries)),
    // Who coordinates at the client sends each of them himself.
    bytes: { client: cluster.bytes / lanes, nodes: cluster.bytes / lanes },
  };
}
