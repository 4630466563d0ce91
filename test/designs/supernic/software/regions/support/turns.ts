/** More chains than regions, and all of them wanted for ever: how long each has a region, and waits for one. */
import type { LiveChain } from "../../../../../../designs/supernic/software/index.ts";
import { world, type World } from "./world.ts";

/** Nanoseconds for which a chain keeps its region, and for which the bench runs. */
export const hold = 100_000;
const runs = 1_500_000,
  regions = 4,
  reprogramCycles = 2_000,
  // Looks of the bench.
  patience = 50,
  // Chains without rows, so that a reprogramming is what takes time.
  bitstreams = [
    ["dummy"],
    ["checksum"],
    ["checksum", "dummy"],
    ["delay(4,8)"],
    ["delay(4,8)", "dummy"],
    ["dummy", "delay(4,8)"],
  ];

export interface Turns {
  /** Nanoseconds that each chain had its region until it was taken. */
  readonly ran: readonly number[];
  /** Nanoseconds from asking to running, by how many stood in line then, with the one that asked. */
  readonly waited: readonly { readonly place: number; readonly time: number }[];
  /** The longest change of a region's chain. */
  readonly swap: number;
  readonly stopped: number;
  /** Chains that still wait, and for how long. */
  readonly waiting: readonly { readonly place: number; readonly time: number }[];
}
/** What a chain that stands at this place may wait at most. */
export const mostWait = (place: number, swap: number): number => Math.ceil(place / regions) * hold + place * swap;

const all = ({ manager }: World): LiveChain[] =>
  bitstreams.flatMap(labels => manager.chainFor(labels, found => found.length === labels.length) ?? []);

/** The longest time in which one chain takes the place of another, when nobody has to wait. */
async function longestSwap(): Promise<number> {
  const w = world({ hold: 0, bitstreams, reprogramCycles });
  let longest = 0;
  for (let round = 0; round < 2; round++)
    for (const chain of all(w)) {
      const from = w.regions.time;
      await w.manager.launch(chain, "demand");
      longest = Math.max(longest, w.regions.time - from);
    }
  return longest;
}
/** Times from its credits to the loss of its region, of each chain, as they were written. */
function ranTimes({ regions: { log } }: World): number[] {
  const of = new Map<number, number>(),
    since = new Map<number, number>(),
    ran: number[] = [];
  for (const { at, what } of log) {
    const [, chain, mask] = /^chain (\d+): regions (\d+)/.exec(what) ?? [],
      [, region] = /^region (\d+): limit 24/.exec(what) ?? [];
    if (region !== undefined) since.set(Number(region), at);
    if (chain === undefined || mask === undefined) continue;
    const bits = parseInt(mask, 2);
    if (bits !== 0) of.set(Number(chain), 31 - Math.clz32(bits));
    const lost = bits === 0 ? of.get(Number(chain)) : undefined,
      from = since.get(lost ?? -1);
    if (from !== undefined) ran.push(at - from);
  }
  return ran;
}

/** @param kills nanoseconds between two kills of regions, round about; none, where this is left out */
export async function turns({ kills }: { readonly kills?: number } = {}): Promise<Turns> {
  const w = world({ hold, bitstreams, reprogramCycles }),
    chains = all(w),
    asked = new Map<LiveChain, { readonly at: number; readonly place: number }>(),
    waited: { place: number; time: number }[] = [];
  await w.manager.start();
  const ask = (chain: LiveChain): void => {
    const it = { at: w.regions.time, place: asked.size + 1 };
    asked.set(chain, it);
    void w.manager.launch(chain, "demand").then(() => {
      asked.delete(chain);
      waited.push({ place: it.place, time: w.regions.time - it.at });
    });
  };
  let killed = 0,
    now = 0,
    still = 0;
  while (w.regions.time < runs) {
    for (const chain of chains) if (!asked.has(chain) && w.manager.stateOf(chain) === "none") ask(chain);
    if (kills !== undefined && w.regions.time > (killed + 1) * kills) void w.manager.kill(killed++ % regions);
    // Time passes for those who wait; when nobody has let it pass for long, for the bench.
    still = w.regions.time === now ? still + 1 : 0;
    now = w.regions.time;
    await (still < patience ? Promise.resolve() : w.regions.wait());
  }
  const waiting = [...asked.values()].map(({ at, place }) => ({ place, time: w.regions.time - at }));
  return {
    ran: kills === undefined ? ranTimes(w) : [],
    ...{ waited, waiting, swap: await longestSwap() },
    stopped: w.manager.counted.stopped,
  };
}
/** @returns a sentence for each bound that does not hold */
export async function wrongTurns(): Promise<readonly string[]> {
  const plain = await turns(),
    // Half of the time that a chain keeps its region, for each of them.
    killed = await turns({ kills: hold / 2 / regions });
  const late = [plain, killed].flatMap(({ waited, waiting, swap }) =>
    [...waited, ...waiting]
      // A kill may be under way, as long as a swap at most.
      .filter(({ place, time }) => time > mostWait(place, 2 * swap))
      .map(({ place, time }) => `who was at place ${place} waited for ${time} ns`),
  );
  const early = plain.ran.filter(time => time < hold).map(time => `a chain lost its region after ${time} ns`);
  return [...early, ...late];
}
