/** A campaign cut into shares, each of which a task on some machine does: what a scheduler is given. */
import { join } from "node:path";
import { CheckFailed } from "../../../designs/shared/command-line/index.ts";
import { root } from "../../../scripts/setup/paths.mjs";
import { quoted } from "../repeat.ts";
import { piecesThere, readResult } from "../result.ts";
import type { Job } from "./engine.ts";

/** Most tasks of a scheduler's array, whose numbers begin at 0: Slurm's own default. */
export const mostShares = 1000;

/** The share that a piece is in, whatever is done already: a task that is begun again has the same pieces. */
export const shareOf = (index: number, shares: number): number => index % shares;
/** The shares with something to do, in order. */
export const sharesWith = (pending: readonly number[], shares: number): readonly number[] =>
  [...new Set(pending.map(i => shareOf(i, shares)))].sort((a, b) => a - b);

/** The line that does a share, for a shell in the project's folder. @param share a number, or a shell's variable */
export const taskLine = (folder: string, share: number | string, shares: number): string =>
  `${quoted(process.execPath)} ${quoted(join(root, "cli/mnemo.mjs"))} campaign --task ${quoted(folder)} --share ${share}/${shares}`;

/** Looks which of the pending pieces have come, and tells of each once. */
export class Arrivals {
  readonly #job: Job;
  readonly #pending: Set<number>;

  constructor(job: Job) {
    this.#job = job;
    this.#pending = new Set(job.pending);
  }
  get pending(): readonly number[] {
    return [...this.#pending];
  }
  look(): void {
    const { plan, folder, onResult } = this.#job;
    const there = piecesThere(folder);
    for (const index of [...this.#pending].filter(i => there.has(i))) {
      const r = readResult(folder, plan.id, index);
      // A result gets its name when it is whole, so a damaged one is no task's: the next start tells of it.
      if (typeof r !== "object") continue;
      this.#pending.delete(index);
      onResult(r);
    }
  }
}

/** Rounds one after another that bring no new result, after which the engine gives up. */
const fruitless = 3;

/**
 * Gives out what is pending until all is there. A task that was ended has left its rest to the next round.
 * @param round does the shares, and comes back when none of its tasks is under way
 * @throws CheckFailed when rounds bring nothing
 */
export async function inRounds(
  job: Job,
  shares: number,
  round: (shares: readonly number[], arrivals: Arrivals) => Promise<string>,
): Promise<void> {
  const arrivals = new Arrivals(job);
  let without = 0;
  while (arrivals.pending.length > 0) {
    const before = arrivals.pending.length,
      log = await round(sharesWith(arrivals.pending, shares), arrivals);
    job.signal.throwIfAborted();
    arrivals.look();
    const left = arrivals.pending.length;
    if (left === 0) return;
    without = left < before ? 0 : without + 1;
    if (without === fruitless)
      throw new CheckFailed(
        `${left} pieces have no result, and ${fruitless} rounds of tasks brought none; the tasks' own words are in ${log}`,
      );
    job.say(`${left} pieces have no result though no task is under way; they are given out again`);
  }
}

/** A wait that a signal ends. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((done, fail) => {
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      done();
    }, ms);
    const stop = (): void => {
      clearTimeout(timer);
      fail(signal.reason as Error);
    };
    signal.addEventListener("abort", stop, { once: true });
  });
