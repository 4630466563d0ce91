/** Races of coordinators that are rare by chance, made to happen. Each throws when what must hold does not. */
import type { Coordinator, CoordinatorOptions, Phase } from "../../../../designs/hotpot/coordinator/index.ts";
import { type Cluster, type ClusterOptions, clusterPid } from "../../../../designs/hotpot/rig/index.ts";
import type { Message } from "../../../../designs/hotpot/wire/index.ts";
import { checkQuiet, clusterOf, commitOf, sourcesFor } from "./commits.ts";

export type Make = (o: CoordinatorOptions) => Coordinator;
const nodes = 3,
  areas = 3,
  limit = 3000;

/** A cluster with a network that loses nothing, and all messages that came to nodes. */
function quiet(make: Make | undefined, way: ClusterOptions["way"]): { c: Cluster; seen: { to: number; m: Message }[] } {
  const seen: { to: number; m: Message }[] = [],
    work = (to: number, m: Message): number => {
      seen.push({ to, m });
      return 0;
    };
  const c = clusterOf(
    7,
    {
      ...{ lost: 0, doubled: 0, late: 0, delay: [3, 3], lanes: 2, timeout: 500, work },
      ...(way && { way }),
      ...(make && { coordinator: make }),
    },
    areas,
  );
  return { c, seen };
}
const lane = (c: Cluster, n: number): Coordinator => c.lanes[n] as Coordinator;
const until = (c: Cluster, phase: Phase, more = 0): void => {
  c.runUntil(() => lane(c, 0).phase === phase, limit);
  for (let i = 0; i < more; i++) c.step();
};
function lose(c: Cluster, n: number): void {
  c.crash(n, "zeroed");
  c.rebuild(n, sourcesFor(n, areas, nodes));
}
const all = (commit: number) => (): number => commit;

/** Two lanes, all areas in opposite orders, and each lane is first at another node. @returns the most tries of one */
export function opposite(make?: Make): number {
  const { c } = quiet(make, (l, node) => 2 + (l === 0 ? node : 2 - node));
  let most = 0;
  for (let round = 1; round <= 12; round++) {
    c.begin(0, commitOf([0, 1, 2], 2 * round, nodes));
    c.begin(1, commitOf([2, 1, 0], 2 * round + 1, nodes));
    c.runUntil(() => c.idle, limit);
    most = Math.max(most, ...c.lanes.map(l => l.tries));
  }
  return most;
}
/** All messages of a commit come once more, when the next one has the pages; and when that one is over. */
export function replayed(make?: Make): void {
  const { c, seen } = quiet(make, undefined);
  c.begin(0, commitOf([0], 1, nodes));
  c.runUntil(() => c.idle, limit);
  const old = [...seen];
  c.begin(1, commitOf([0], 2, nodes));
  c.runUntil(() => lane(c, 1).outcome === "committed", limit);
  for (const { to, m } of old) c.ask(to, m);
  c.runUntil(() => c.idle, limit);
  for (const { to, m } of old) c.ask(to, m);
  checkQuiet(c, 1, all(2));
}
/** An owner is lost when the commit is decided; another lane is quicker to the new node. */
export function overtaken(make?: Make): void {
  const { c } = quiet(make, (l, node) => (l === 0 && node === 0 ? 40 : 2));
  c.begin(0, commitOf([0, 1], 1, nodes));
  until(c, "update");
  lose(c, 0);
  c.begin(1, commitOf([0], 2, nodes));
  c.runUntil(() => c.idle, limit);
  checkQuiet(c, 1, all(2));
}
/** A replica is lost when it has answered, and another one has not. */
export function replicaLost(make?: Make): void {
  const { c } = quiet(make, (_, node) => (node === 2 ? 60 : 2));
  c.begin(0, commitOf([0, 1], 1, nodes));
  until(c, "update", 20);
  lose(c, 1);
  c.runUntil(() => c.idle, limit);
  checkQuiet(c, 2, all(1));
}
/** A node is lost when it has forgotten and another has not; then a message of the commit comes late. */
export function lostInForget(make?: Make): void {
  const { c, seen } = quiet(make, (_, node) => (node === 1 ? 60 : 2));
  c.begin(0, commitOf([0, 1], 1, nodes));
  until(c, "forget", 20);
  lose(c, 0);
  c.runUntil(() => c.idle, limit);
  for (const { to, m } of seen) if (to === 0 && m.kind !== "forget") c.ask(to, m);
  checkQuiet(c, 2, all(1));
}
/** A node owns a page and has a copy of another. It forgets early, another replica late; an UPDATE comes once more. */
export function bothRoles(make?: Make): void {
  const { c, seen } = quiet(make, (l, node) => (l === 0 && node === 1 ? 200 : 2));
  c.begin(0, commitOf([0, 2], 1, nodes));
  until(c, "forgetReplicas");
  const old = seen.filter(s => s.m.kind === "update");
  c.begin(1, commitOf([0], 2, nodes));
  c.runUntil(() => lane(c, 1).outcome === "committed", limit);
  for (const { to, m } of old) c.ask(to, m);
  c.runUntil(() => c.idle, limit);
  checkQuiet(c, 1, all(2));
}
/**
 * A lane is taken away while its commit is under way: nodes are busy until it is over. Its coordinator then fails, and
 * goes on when it has the lane again. Another lane has the pages meanwhile.
 */
export function taken(make?: Make): void {
  const { c } = quiet(make, undefined);
  c.begin(0, commitOf([0, 1], 1, nodes));
  until(c, "update");
  let busy = 0;
  c.runUntil(() => {
    const done = c.grant(0, 0);
    if (!done) busy++;
    return done;
  }, limit);
  if (busy === 0 || lane(c, 0).outcome !== "committed") throw new Error("a lane is taken away from a decided commit");
  c.runUntil(() => c.idle, limit);
  checkQuiet(c, 2, all(1));
  c.begin(0, commitOf([0, 1], 2, nodes));
  c.begin(1, commitOf([0, 1], 3, nodes));
  c.runUntil(() => c.idle, limit);
  if (lane(c, 0).outcome !== "failed") throw new Error("a coordinator commits in a lane that it does not have");
  checkQuiet(c, 2, all(3));
  // Neither a restart nor a lost node gives it back.
  c.crash(1, "kept");
  c.recover(1);
  lose(c, 0);
  c.begin(0, commitOf([0, 1], 4, nodes));
  c.runUntil(() => c.idle, limit);
  checkQuiet(c, 2, all(3));
  if (!c.grant(0, clusterPid)) throw new Error("an idle lane is not given");
  c.begin(0, commitOf([0, 1], 5, nodes));
  c.runUntil(() => c.idle, limit);
  checkQuiet(c, 2, all(5));
}
/** All of them. */
export function directed(make?: Make): void {
  const tries = opposite(make);
  if (tries > 4) throw new Error(`opposite orders need ${tries} tries`);
  for (const race of [taken, replayed, overtaken, replicaLost, lostInForget, bothRoles]) race(make);
}
