/** Whose region is given to a chain that is launched, when none is free (paper §5.4.3). */
import type { LiveChain } from "./manager.ts";

/** What a region is for now; `fixed`: its chain stays, `broken`: what was loaded there did not come. */
export type Use = "free" | "active" | "victim" | "loading" | "fixed" | "broken";
export interface Place {
  use: Use;
  chain: LiveChain | undefined;
  /** Nanoseconds; when it became what it is. */
  since: number;
  /** It is broken, as something did not end in time: when it has ended, the region can be used again. */
  late?: boolean;
}
/** Nobody has had his region for long enough, but somebody will have. */
export const later = "later";

/** What it holds has been wanted by nobody for longer than `life`. */
export const isOldVictim = ({ use, since }: Place, now: number, life: number): boolean =>
  use === "victim" && now - since > life;

export interface Giving {
  /** Its packets are there: then chains that run give up regions, too. */
  readonly onDemand: boolean;
  readonly now: number;
  readonly victimLife: number;
  /** Nanoseconds for which a chain that runs keeps its region. */
  readonly hold: number;
  readonly loadOf: (region: number) => Promise<number>;
  /** Regions that can hold the chain. */
  readonly fits: (region: number) => boolean;
}

/**
 * The oldest victim: on demand any, else one that nobody has wanted for `victimLife`. Without one, on demand, the least
 * loaded of the regions that have run for `hold` or longer; of equal loads the one that runs longest.
 * @returns undefined: there is none, and there will be none by waiting
 */
export async function whoGives(
  places: readonly Place[],
  { onDemand, now, victimLife, hold, loadOf, fits }: Giving,
): Promise<number | undefined | typeof later> {
  const all = places.map((p, region) => ({ ...p, region })).filter(p => fits(p.region));
  const [victim] = all
    .filter(p => (onDemand ? p.use === "victim" : isOldVictim(p, now, victimLife)))
    .sort((a, b) => a.since - b.since);
  if (victim !== undefined || !onDemand) return victim?.region;
  const running = all.filter(p => p.use === "active"),
    old = running.filter(p => now - p.since >= hold);
  if (running.length > 0 && old.length === 0) return later;
  const loaded = await Promise.all(old.map(async p => ({ ...p, load: await loadOf(p.region) })));
  return loaded.sort((a, b) => a.load - b.load || a.since - b.since)[0]?.region;
}
