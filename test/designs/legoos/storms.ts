/** Storms: bursts at one set and pressure on it, software's evictions beside them, and surroundings of every kind. */
import { status } from "../../../designs/clio/wire/index.ts";
import type { ExCacheRig } from "../../../designs/legoos/rig/index.ts";
import { small, type Traffic } from "./traffic.ts";

const usual: Traffic = {
  storm: true,
  evicts: 0.1,
  accesses: 400,
  limitCycles: 400_000,
  // More than what the longest row of time-outs takes.
  hangCycles: 12_000,
};

/** Lines that nodes refuse, and lines that may not be written, by all address spaces. */
const rights = (_: number, va: bigint): { readonly status: number; readonly writable: boolean } => {
  const line = Number(va / 256n),
    refused = line % 2 === 0 ? status.INVALID : status.OUT_OF_MEMORY;
  return { status: line % 5 === 4 ? refused : status.OK, writable: line < 9 };
};
const readOnly = async (r: ExCacheRig, ranges: readonly (readonly [first: number, last: number])[]): Promise<void> => {
  for (const [i, [first, last]] of ranges.entries())
    await r.range(i, { asid: i + 1, first, last, writable: false, anonymous: false, base: 0 });
};

/** Nodes that cannot now, or have forgotten whom they know: each of those answers means that a request is repeated. */
function moody(r: ExCacheRig): Promise<void> {
  const { random } = r.bench,
    moods = [status.BUSY, status.NACK, status.MIGRATING, status.YIELD, status.EXPIRED];
  r.nodes.refuse = ({ write }) => {
    if (!random.chance(0.3)) return status.OK;
    return moods[random.below(write ? moods.length : 3)] as number;
  };
  return Promise.resolve();
}

/** Beats of the line memory fail one after the other, and all of them work again before the last accesses. */
function failsForTimes(r: ExCacheRig): Promise<void> {
  const { bench, ram, p } = r,
    beats = (p.sets * p.ways * p.lineBytes) / 64;
  bench.spawn(async () => {
    for (let times = 0; times < 100; times++) {
      await bench.cycles(bench.random.between(50, 400));
      const at = 64 * bench.random.below(beats);
      ram?.failAt({ from: at, to: at + 64 });
      if (!bench.random.chance(0.5)) continue;
      await bench.cycles(bench.random.between(1, 200));
      ram?.mend();
    }
    ram?.mend();
  });
  return Promise.resolve();
}

export const storms = {
  "requests that pass each other": { ...usual, requestJitter: 300, accesses: 1500, seed: 21 },
  "pauses in long runs": { ...usual, pausesInRuns: { go: 40, pause: 100 }, accesses: 2500, lines: 10, seed: 22 },
  "hits, one a cycle": { ...usual, lines: 4, evicts: 0.15, writes: 0.5, accesses: 6000, seed: 23 },
  "a network that loses, doubles, damages and delays": {
    ...usual,
    lose: 0.08,
    twice: 0.1,
    damage: 0.08,
    jitter: 300,
    requestJitter: 100,
    accesses: 2500,
    limitCycles: 2_000_000,
    seed: 24,
  },
  "copies, and a second node that is deaf for times": {
    ...usual,
    nodes: 2,
    copies: 2,
    asids: [1],
    setUp: r => r.mapRegion(0, 1, 0, 0, 1),
    deaf: (node, cycle) => node === 1 && cycle % 1500 < 700,
    seed: 25,
  },
  "lines that are refused, beside victims that are wanted": {
    ...usual,
    rights,
    requestJitter: 100,
    accesses: 4000,
    setUp: async r => {
      r.nodes.refuse = ({ va }) => rights(0, va).status;
      await readOnly(r, [
        [9, 200],
        [9, 200],
      ]);
    },
    seed: 326,
  },
  "local lines, of which no node has heard before their first flush": {
    ...usual,
    lines: 16,
    requestJitter: 100,
    accesses: 600,
    setUp: async r => {
      const isLocal = (pid: number, line: number): boolean => (pid === 1 ? line < 16 : line >= 3 && line < 13);
      r.nodes.refuse = ({ pid, va, write, node }) =>
        !write && !r.nodes.has(node, pid, va) && isLocal(pid, Number(va / 256n)) ? status.INVALID : status.OK;
      await r.range(0, { asid: 1, first: 0, last: 15, writable: true, anonymous: true, base: 0 });
      await r.range(1, { asid: 2, first: 3, last: 12, writable: true, anonymous: true, base: 16 });
    },
    seed: 27,
  },
  "first and last lines of the first and last regions": {
    ...usual,
    nodes: 4,
    regionNumbers: [0, 0x1ffff, 0x20001, 0x3fffe],
    place: line => (line % 2 === 0 ? BigInt(line * 256) : (1n << 30n) - BigInt(256 * line)),
    lines: 8,
    accesses: 600,
    seed: 29,
  },
  "replies cut short, and frames that answer nothing": {
    ...usual,
    cut: 0.15,
    noise: 0.5,
    jitter: 200,
    accesses: 1500,
    seed: 203,
  },
  "the first and last lines of ranges": {
    ...usual,
    rights: (asid, va) => {
      const line = Number(va / 256n);
      return { status: status.OK, writable: !(asid === 1 ? line >= 5 && line <= 9 : line === 7) };
    },
    setUp: r =>
      readOnly(r, [
        [5, 9],
        [7, 7],
      ]),
    seed: 31,
  },
  "regions of four nodes": { ...usual, nodes: 4, regions: 3, lines: 8, requestJitter: 200, seed: 28 },
  "nodes that are busy, or have forgotten": { ...usual, setUp: moody, seed: 35 },
  "a node slower than the time-out": { ...usual, latency: 600, jitter: 300, seed: 34 },
  "a node that is deaf for longer than a fetch is tried": {
    ...usual,
    parameters: small({ tries: 1 }),
    doubtful: true,
    deaf: (_node, cycle) => cycle % 7000 < 3500,
    accesses: 1500,
    limitCycles: 2_000_000,
    seed: 42,
  },
  "a second copy after the first": {
    ...usual,
    parameters: small({ replicas: "serial" }),
    nodes: 2,
    copies: 2,
    asids: [1],
    setUp: r => r.mapRegion(0, 1, 0, 0, 1),
    lose: 0.05,
    seed: 36,
  },
  "everything one after the other": {
    ...usual,
    parameters: small({ replicas: "serial", flush: "serial" }),
    nodes: 2,
    copies: 2,
    asids: [1],
    setUp: r => r.mapRegion(0, 1, 0, 0, 1),
    lose: 0.05,
    seed: 37,
  },
  "flush and fetch at once, in two requests": {
    ...usual,
    parameters: small({ flush: "parallel" }),
    lose: 0.05,
    seed: 38,
  },
  "four ways, by use": {
    ...usual,
    parameters: small({ policy: "lru", ways: 4, misses: 4, waiting: 8 }),
    lines: 24,
    requestJitter: 200,
    seed: 39,
  },
  "four misses, on a network that loses, doubles, damages and delays": {
    ...usual,
    parameters: small({ misses: 4, waiting: 8, ways: 4, nodes: 4 }),
    ...{ nodes: 2, regions: 2, lines: 24 },
    ...{ lose: 0.08, twice: 0.1, damage: 0.08, jitter: 300, requestJitter: 100 },
    accesses: 600,
    limitCycles: 2_000_000,
    seed: 43,
  },
  "four misses, and nodes that are deaf for longer than a fetch is tried": {
    ...usual,
    parameters: small({ misses: 4, waiting: 8, tries: 1 }),
    doubtful: true,
    deaf: (_node, cycle) => cycle % 5000 < 2500,
    lines: 24,
    accesses: 600,
    limitCycles: 2_000_000,
    seed: 44,
  },
  "four misses, busy and forgetful nodes, copies": {
    ...usual,
    parameters: small({ misses: 4, waiting: 8 }),
    ...{ nodes: 2, copies: 2, asids: [1], lines: 24 },
    setUp: async r => {
      await r.mapRegion(0, 1, 0, 0, 1);
      await moody(r);
    },
    accesses: 600,
    seed: 45,
  },
  "lines in DRAM": {
    ...usual,
    parameters: small({ lines: "axi" }),
    ram: { latency: 40, jitter: 60 },
    requestJitter: 200,
    accesses: 4000,
    limitCycles: 2_000_000,
    seed: 40,
  },
  "a line memory that fails for times": {
    ...usual,
    parameters: small({ lines: "axi" }),
    doubtful: true,
    ram: { latency: 20, jitter: 20 },
    accesses: 4000,
    setUp: failsForTimes,
    seed: 32,
  },
  "slow nodes, and fetches that are given up": {
    ...usual,
    parameters: small({ tries: 1 }),
    doubtful: true,
    latency: 300,
    jitter: 900,
    pausesInRuns: { go: 30, pause: 30 },
    seed: 33,
  },
  "long lines in a DRAM so slow that fetches time out while they come in": {
    ...usual,
    parameters: small({ tries: 1, lines: "axi", lineBytes: 1024 }),
    doubtful: true,
    ram: { latency: 60, depth: 1, jitter: 40 },
    latency: 100,
    jitter: 700,
    accesses: 200,
    seed: 41,
  },
} satisfies Readonly<Record<string, Traffic>>;
export type StormName = keyof typeof storms;
