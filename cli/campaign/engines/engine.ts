/** What runs the pieces of a campaign; where they run is the engine's own affair. */
import type { Plan } from "../plan.ts";
import type { Result } from "../result.ts";

export interface Job {
  readonly plan: Plan;
  /** The campaign's folder, in which a result is one file. */
  readonly folder: string;
  /** Pieces without a result. */
  readonly pending: readonly number[];
  /** Called for each result as it comes. */
  readonly onResult: (result: Result) => void;
  /** A message for a person: something ended and is begun again. */
  readonly say: (text: string) => void;
  /** Ends everything: the engine rejects with the signal's reason and leaves no process behind. */
  readonly signal: AbortSignal;
}
/**
 * Comes to its end when each pending piece has its file, or when the engine has no more to try. What is on the disk is
 * right whenever it is stopped.
 */
export interface Engine {
  readonly name: string;
  readonly run: (job: Job) => Promise<void>;
}
