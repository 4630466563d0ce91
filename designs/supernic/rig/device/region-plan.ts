/** What each region of a simulated device holds, and which of its chains come and go (docs/supernic/reconfigure.md). */
import { payloadWaysOf, type RegionContent, regionMemoryWays, type Task } from "../../rtl/index.ts";
import { ConfigError } from "../../config/index.ts";
import type { Setup } from "../../software/index.ts";
import { type Declared, makesFrames, mostPayloadTasks, payloadUse, usesMemory } from "../../wire/index.ts";

export interface PlanOptions {
  readonly taskOf: (name: string) => Task;
  /** Chains that regions can be given; undefined: all chains stay. */
  readonly bitstreams: readonly (readonly string[])[] | undefined;
  /** Regions with ways to memory, to payloads, and for frames of tasks. */
  readonly ways?: readonly number[] | undefined;
}
export interface RegionPlan {
  readonly contents: readonly RegionContent[];
  /** Those without such ways come first: regions without ways have these, by the same numbers. */
  readonly bitstreams: readonly (readonly string[])[] | undefined;
  /** By region: its chain stays. */
  readonly stays: readonly boolean[];
  /** By region, its ways to memory. */
  readonly memoryWays: readonly (readonly number[])[];
  /** @param bitstream from 1 */
  readonly fits: (region: number, bitstream: number) => boolean;
}
/** Has a way that a region without ways does not have. */
const needsWays = (t: Declared): boolean => usesMemory(t) || makesFrames(t) || payloadUse(t) !== "none";
const nameOf = (labels: readonly string[]): string => labels.join("+");

/**
 * A chain with ways stays in its region when it is in no bitstream. If it is in one, its region has ways that stay,
 * and gets every bitstream; if no region has such a chain, the last one that does not stay does.
 */
export function planRegions(setup: Setup, regions: number, o: PlanOptions): RegionPlan {
  const chains = Array.from({ length: regions }, (_, r) => setup.regions[r]?.labels ?? []),
    has = (labels: readonly string[]): boolean => labels.some(l => needsWays(o.taskOf(l).declared)),
    all = o.bitstreams ?? [],
    plain = all.filter(b => !has(b)),
    ordered = [...plain, ...all.filter(has)],
    names = ordered.map(nameOf);
  const isLoaded = (r: number): boolean => has(chains[r] ?? []),
    never = (r: number): boolean =>
      o.bitstreams === undefined || (isLoaded(r) && !names.includes(nameOf(chains[r] ?? []))),
    swapped = chains.flatMap((_, r) => (never(r) ? [] : [r])),
    loaded = swapped.filter(isLoaded),
    byDefault = loaded.length > 0 ? loaded : swapped.slice(-1),
    wide = ordered.length === plain.length ? [] : (o.ways ?? byDefault);
  const isWide = (r: number): boolean => wide.includes(r) && !never(r),
    // Nothing can be loaded there.
    stays = chains.map((_, r) => never(r) || (plain.length === 0 && !isWide(r))),
    // Regions with the same chain have the same one: it is built once.
    built = ordered.map(b => b.map(o.taskOf)),
    contents = chains.map((own, r): RegionContent => {
      if (stays[r] === true) return own.map(o.taskOf);
      const variants = isWide(r) ? built : built.slice(0, plain.length);
      return { variants, first: 1 + names.slice(0, variants.length).indexOf(nameOf(own)) };
    });
  const payloads = payloadWaysOf(contents).length;
  if (payloads > mostPayloadTasks)
    throw new ConfigError(
      `regions and bitstreams: those of the regions need ${payloads} ways to payloads, and the packet store has ${mostPayloadTasks}; leave tasks with payload out`,
    );
  let before = 0;
  const memoryWays = contents.map(content => {
    const count = regionMemoryWays(content),
      from = before;
    before += count;
    return Array.from({ length: count }, (_, w) => from + w);
  });
  return {
    ...{ contents, stays, memoryWays },
    bitstreams: o.bitstreams && ordered,
    fits: (region, bitstream) => isWide(region) || bitstream <= plain.length,
  };
}
