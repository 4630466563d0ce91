import { makeParameters, type Parameters } from "../../../designs/legoos/config/index.ts";
import { type ExCacheRig, type RigOptions, withExCache } from "../../../designs/legoos/rig/index.ts";
import type { Rights } from "../../../designs/legoos/model/index.ts";

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
}

/** Random accesses of a few lines by several address spaces with the same addresses; then all lines leave. */
export async function traffic(rig: ExCacheRig, t: Traffic): Promise<void> {
  const { bench, p } = rig,
    r = bench.random,
    asids = t.asids ?? [1, 2],
    regions = t.regions ?? 1;
  const all = (1n << 64n) - 1n;
  for (let i = 0; i < (t.accesses ?? 300); i++) {
    const line = r.between(0, (t.lines ?? 12) - 1),
      region = BigInt(r.between(0, regions - 1) + (t.firstRegion ?? 0)) << 30n;
    const va = region + BigInt(line * p.lineBytes + 64 * r.between(0, p.lineBytes / 64 - 1));
    await rig.ask({
      asid: asids[r.between(0, asids.length - 1)] as number,
      va,
      write: r.chance(t.writes ?? 0.4),
      strb: r.chance() ? all : r.bits(64),
      data: r.bits(512),
    });
    if (r.chance(0.02)) await bench.cycles(r.between(1, 200));
  }
  await rig.settled();
}

/** A whole run: traffic, flush, and what must hold then. */
export const run = (name: string, t: Traffic): Promise<ExCacheRig> =>
  withExCache(name, { parameters: small(), seed: 1, wave: false, limitCycles: 60_000, ...t }, async rig => {
    await rig.begin(t.asids ?? [1, 2], t.regions ?? 1);
    await t.setUp?.(rig);
    await traffic(rig, t);
    await rig.flush();
    rig.judge((_asid, va) => Number(va >> 30n) % (t.nodes ?? 1));
    return rig;
  });
export type { Rights };
