import { beatBytes, regionShift } from "../../config/index.ts";
import { Locality, type LocalityName } from "../../workload/index.ts";
import type { ExCacheRig } from "./ex-cache-rig.ts";

export interface PlayOptions {
  readonly locality: LocalityName;
  readonly accesses: number;
  /** Lines of memory that the application has, in all its regions: a power of two. */
  readonly lines: number;
  readonly regions: number;
  /** The number of the first; default 0. */
  readonly firstRegion?: number;
  readonly asid: number;
  readonly writes: number;
}
export interface Played {
  readonly accesses: number;
  readonly cycles: number;
  /** The same number of accesses to one line that is there. */
  readonly hitCycles: number;
  readonly slowdown: number;
  readonly counts: Readonly<Record<string, number>>;
}

const all = (1n << 64n) - 1n;

/** Plays an application's accesses, a tenth of them first to fill the cache, and measures the others. */
export async function playLocality(rig: ExCacheRig, o: PlayOptions): Promise<Played> {
  const { bench, p } = rig,
    { random } = bench,
    locality = new Locality(o.locality, o.lines, random),
    perRegion = o.lines / o.regions;
  const access = (line: number): Promise<void> => {
    const region = BigInt((line % o.regions) + (o.firstRegion ?? 0)) << BigInt(regionShift),
      at = BigInt(Math.floor(line / o.regions) % perRegion) * BigInt(p.lineBytes);
    return rig.ask({
      asid: o.asid,
      va: region + at + BigInt(beatBytes * random.between(0, p.lineBytes / beatBytes - 1)),
      write: random.chance(o.writes),
      strb: all,
      data: random.bits(8 * beatBytes),
    });
  };
  for (let i = 0; i < o.accesses / 4; i++) await access(locality.next());
  await rig.settled();
  const before = { ...rig.counts },
    from = bench.cycle;
  for (let i = 0; i < o.accesses; i++) await access(locality.next());
  await rig.settled();
  const cycles = bench.cycle - from,
    counts = Object.fromEntries(Object.entries(rig.counts).map(([name, n]) => [name, n - (before[name] ?? 0)]));
  await access(0);
  await rig.settled();
  const start = bench.cycle;
  for (let i = 0; i < o.accesses; i++) await access(0);
  await rig.settled();
  const hitCycles = bench.cycle - start;
  return { accesses: o.accesses, cycles, hitCycles, slowdown: cycles / hitCycles, counts };
}
