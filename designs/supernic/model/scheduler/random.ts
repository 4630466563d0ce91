import { type Dag, type Fault, type Packet, type Setup, type Task, timing, type Timing } from "./setup.ts";
import type { Traffic } from "./watch.ts";

/** A generator of numbers by a seed (mulberry32). */
export function numbers(seed: number) {
  let state = seed >>> 0;
  const unit = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  /** A whole number, both ends included. */
  const whole = (least: number, most: number): number => least + Math.floor(unit() * (most - least + 1)),
    chance = (p: number): boolean => unit() < p,
    times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i));
  return { whole, chance, times };
}
type Numbers = ReturnType<typeof numbers>;

const randomTask = ({ whole, chance }: Numbers): Task => ({
  latency: whole(1, 12),
  interval: chance(0.25) ? whole(4, 12) : whole(1, 2),
});
/** Any stages of the chains that are loaded; a branch skips tasks, and keeps one at least. */
function randomDag(n: Numbers, user: number, chains: Setup["chains"], loaded: readonly number[]): Dag {
  const branch = () => {
    const chain = loaded[n.whole(0, loaded.length - 1)] ?? 0,
      slots = (chains[chain] ?? []).map((_, i) => i),
      run = slots.filter(() => n.chance(0.7));
    return { chain, run: run.length > 0 ? run : [n.whole(0, slots.length - 1)] };
  };
  const stage = () => {
    const list = n.times(n.chance(0.3) ? n.whole(2, 4) : 1, branch);
    return list.filter((b, i) => list.findIndex(c => c.chain === b.chain) === i);
  };
  return { user, slow: n.chance(0.3), stages: n.times(n.whole(1, 3), stage) };
}

/** A configuration out of all that can be, with one decision stage or several. */
export function randomSetup(seed: number, fault?: Fault): { readonly setup: Setup; readonly traffic: Traffic } {
  const n = numbers(seed),
    users = n.whole(1, 6),
    chains = n.times(n.whole(1, 3), () => n.times(n.whole(1, 4), () => randomTask(n)));
  const regions = n.times(n.whole(chains.length, 4), i => (i < chains.length ? i : n.whole(0, chains.length - 1)));
  const limit = n.whole(1, 8),
    credits = chains.map(c => c.map(() => limit));
  const dags = n.times(n.whole(users, users * 2), i => randomDag(n, i % users, chains, [...new Set(regions)]));
  const varied: Timing = { ...timing, decide: n.whole(1, 4), busyDelay: n.whole(0, 3), refill: n.whole(1, 2) };
  const setup: Setup = {
    users,
    contexts: 2 ** n.whole(2, 6),
    chains,
    regions,
    credits,
    dags,
    timing: { ...varied, prefetch: n.whole(1, 4) },
    patience: 32,
    ...(fault ? { fault } : {}),
  };
  return { setup, traffic: randomTraffic(n, setup) };
}

/** Packets of a few flows for each DAG, some dropped, some long; stalls; regions that go out of use and come back. */
function randomTraffic(n: Numbers, { dags, chains, regions }: Setup): Traffic {
  const count = n.whole(60, 160),
    gap = n.whole(0, 3),
    drops = n.chance(0.5) ? 0.1 : 0,
    long = n.chance(0.4) ? 0.3 : 0;
  const packet = (id: number): Packet => {
    const dag = n.whole(0, dags.length - 1),
      stages = dags[dag]?.stages ?? [],
      stage = n.whole(0, stages.length - 1),
      run = stages[stage]?.[0]?.run ?? [];
    return {
      id,
      dag,
      flow: dag * 4 + n.whole(0, 3),
      beats: n.chance(long) ? n.whole(2, 24) : 1,
      drops: n.chance(drops) ? { stage, slot: run[n.whole(0, run.length - 1)] ?? 0 } : undefined,
    };
  };
  let at = 0;
  const packets = n.times(count, id => ({ at: (at += n.whole(0, gap)), packet: packet(id) })),
    fewest = regions.map((_, i) => i).filter(i => regions.indexOf(regions[i] ?? 0) === i),
    every = regions.map((_, i) => i);
  return {
    packets,
    stalls: n.times(n.whole(0, 2), () => {
      const region = n.whole(0, regions.length - 1);
      return {
        at: n.whole(0, 200),
        region,
        slot: n.whole(0, (chains[regions[region] ?? 0]?.length ?? 1) - 1),
        cycles: 300,
      };
    }),
    uses: n.times(n.whole(0, 4), i => ({ at: n.whole(0, 100) + 60 * i, regions: i % 2 === 0 ? fewest : every })),
  };
}
