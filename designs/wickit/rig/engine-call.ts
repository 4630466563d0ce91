import type { Pause, Sent } from "../../../sim/index.ts";
import type { EngineParameters } from "../config/index.ts";
import type { Access, AccessAnswer, WicCall, WicMachine, WicOutcome } from "../model/index.ts";
import type { enginePorts } from "../rtl/index.ts";

export type EnginePorts = ReturnType<typeof enginePorts>;
export type EngineStream = Exclude<keyof EnginePorts, "base" | "state">;

export interface EngineHostOptions {
  readonly parameters: EngineParameters;
  readonly machine: WicMachine;
  /** What memory does, one access after the other. */
  readonly memory: (access: Access) => AccessAnswer;
  /** Cycles from an access (its last word) to its answer, and so many more at random. Default 10 and 0. */
  readonly latency?: number;
  readonly jitter?: number;
  /** Probability that a stream pauses in a cycle; or a pause for each. */
  readonly pause?: number | ((stream: EngineStream) => Pause);
  /** Cycles without progress after which an unanswered request is a hang. Default 2,000. */
  readonly patience?: number;
}

/** A request on its way. Cycles are those of the headers' edges, `end` that of the reply's last word. */
export interface EngineCall extends WicCall {
  readonly tag: number;
  readonly taken: number | undefined;
  readonly replied: number | undefined;
  readonly end: number | undefined;
  readonly outcome: WicOutcome | undefined;
  readonly accesses: readonly AccessTrace[];
}
export interface AccessTrace extends Access {
  readonly taken: number;
  readonly answered: number | undefined;
}
/** The same while the host works on it. */
export interface Call extends WicCall {
  readonly tag: number;
  taken: number | undefined;
  replied: number | undefined;
  end: number | undefined;
  outcome: WicOutcome | undefined;
  readonly accesses: (AccessTrace & { answered: number | undefined })[];
  header: Sent<unknown> | undefined;
  context: number;
  run: Generator<Access, WicOutcome, AccessAnswer> | undefined;
  next: IteratorResult<Access, WicOutcome> | undefined;
}
