import { makeParameters, type Parameters } from "../../../designs/legoos/config/index.ts";
import { type ExCacheRig, type RigOptions, withExCache } from "../../../designs/legoos/rig/index.ts";
import type { Rights } from "../../../designs/legoos/model/index.ts";
import { allBack } from "../../support/all-back.ts";

/** Small enough that everything happens: full sets, full queues, victims that are wanted again. */
export const small = (over: Partial<Parameters> = {}): Parameters =>
  makeParameters({
    sets: 4,
    ways: 2,
    lineBytes: 256,
    misses: 2,
    waiting: 4,
    regions: 8,
    nodes: 4,
    ranges: 2,
    localLines: 64,
    timeoutCycles: 400,
    tries: 15,
    sweepCycles: 8,
    idBits: 4,
    ...over,
  });

export interface Traffic extends Partial<RigOptions> {
  readonly accesses?: number;
  readonly lines?: number;
  readonly asids?: readonly number[];
  readonly writes?: number;
  readonly regions?: number;
  readonly firstRegion?: number;
  /** Evictions that software orders, beside the traffic: a share of the steps. */
  readonly evicts?: number;
  /** Where a line is in its region; by default one behind the other from the beginning. */
  readonly place?: (line: number) => bigint;
  /** Regions by their numbers, instead of the first ones. */
  readonly regionNumbers?: readonly number[];
  /** Steps are bursts at one set and pressure on it, instead of single accesses. */
  readonly storm?: boolean;
}
const all = (1n << 64n) - 1n;

/** Random accesses of a few lines by several address spaces with the same addresses; then all lines leave. */
export async function traffic(rig: ExCacheRig, t: Traffic): Promise<void> {
  const { bench, p } = rig,
    r = bench.random,
    asids = t.asids ?? [1, 2],
    regions = t.regionNumbers?.length ?? t.regions ?? 1,
    lines = t.lines ?? 12;
  const regionOf = (i: number): bigint => BigInt(t.regionNumbers?.[i] ?? i + (t.firstRegion ?? 0)) << 30n,
    place = t.place ?? ((line: number): bigint => BigInt(line * p.lineBytes));
  const access = (asid: number, region: number, line: number, write: boolean): Promise<void> =>
      rig.ask({
        asid,
        va: regionOf(region) + place(line) + BigInt(64 * r.between(0, p.lineBytes / 64 - 1)),
        write,
        strb: r.chance() ? all : r.bits(64),
        data: r.bits(512),
      }),
    anyAsid = (): number => asids[r.below(asids.length)] as number;
  for (let left = t.accesses ?? 300; left > 0;) {
    if (r.chance(t.evicts ?? 0)) rig.evict(r.below(p.sets), r.below(p.ways));
    if (r.chance(0.02)) await bench.cycles(r.between(1, 200));
    if (t.storm !== true || r.chance(0.3)) {
      left -= 1;
      await access(anyAsid(), r.below(regions), r.below(lines), r.chance(t.writes ?? 0.4));
      continue;
    }
    // Lines of a set or two: as many as each has ways at most, in any order, so that most accesses hit.
    const anySet = (): number => r.below(Math.min(p.sets, lines)),
      lineOf = (set: number): number => set + p.sets * r.below(Math.ceil((lines - set) / p.sets));
    const set = anySet(),
      other = r.chance() ? set : anySet(),
      some = Array.from(
        { length: r.between(1, p.ways) * (other === set ? 1 : 2) },
        (_, i) => [anyAsid(), r.below(regions), lineOf(i % 2 === 0 ? set : other)] as const,
      );
    const writes = r.chance() ? 1 : 0.2;
    for (let i = r.between(2, 10); i > 0; i--, left--)
      await access(...(some[r.below(some.length)] as (typeof some)[number]), r.chance(writes));
    // And others of the set behind them, for which they have to leave.
    if (r.chance())
      for (let i = r.between(1, p.ways + 1); i > 0; i--, left--)
        await access(anyAsid(), r.below(regions), lineOf(set), r.chance(0.3));
    if (r.chance(t.evicts ?? 0)) rig.evict(set, r.below(p.ways));
  }
  await rig.settled();
}

/** Nothing has leaked: with a network that keeps everything, all misses and all places to wait can be had at once. */
export async function allIsBack(rig: ExCacheRig, asid: number, from: bigint): Promise<void> {
  const { bench, p } = rig,
    read = (i: number): Promise<void> =>
      rig.ask({ asid, va: from + BigInt(i * p.lineBytes), write: false, strb: 0n, data: 0n });
  const busy = (): number => bench.io.busy.value.toString(2).replaceAll("0", "").length;
  rig.hold();
  for (let i = 0; i < p.misses; i++) await read(i);
  await allBack(bench, { what: "misses", count: p.misses, had: busy, settle: 20 });
  const before = rig.counts["merged"] ?? 0,
    places = Math.min(p.waiting, 2 ** p.idBits - 1);
  for (let i = p.misses; i < places + 1; i++) await read(0);
  await allBack(bench, {
    what: "places to wait",
    count: places,
    had: () => p.misses + (rig.counts["merged"] ?? 0) - before,
  });
  rig.release();
  await rig.settled();
}

/** A whole run: traffic, flush, and what must hold then. */
export const run = (name: string, t: Traffic): Promise<ExCacheRig> =>
  withExCache(name, { parameters: small(), seed: 1, wave: false, limitCycles: 60_000, ...t }, async rig => {
    const asids = t.asids ?? [1, 2];
    await rig.begin(asids, t.regionNumbers === undefined ? (t.regions ?? 1) : 0);
    let entry = 0;
    for (const asid of asids)
      for (const number of t.regionNumbers ?? []) await rig.mapRegion(entry++, asid, number, number % (t.nodes ?? 1));
    await t.setUp?.(rig);
    await traffic(rig, t);
    await rig.flush();
    rig.judge((_asid, va) => Number(va >> 30n) % (t.nodes ?? 1));
    // Lines that no other part of a bench has, of no range.
    if (t.network === undefined)
      await allIsBack(rig, asids[0] as number, (BigInt(t.regionNumbers?.[0] ?? 0) << 30n) + 0x100000n);
    return rig;
  });
export type { Rights };
