/** A proof: a harness in the language with the claims about a module, and a fault that shows that the harness looks. */
import type { Def } from "../../build/module.ts";

/** A change of the emitted Verilog that breaks the module: the proof must then fail. */
export interface Fault {
  /** Effect of the fault on the hardware. */
  readonly what: string;
  /** The text in one of the harness's files; the first place that has it is changed. */
  readonly from: string | RegExp;
  readonly to: string;
}

/**
 * A proof harness. Its `assertAlways` are the claims, its `assumeAlways` the promises of the module's users. Its
 * `cover`s are states that must be reachable, so that the claims do not hold vacuously. Widths and depths are reduced;
 * the claims must not depend on them.
 */
export interface Proof {
  /** The module or combinator with its parameters, as the reader knows it: `Fifo, depth 5`. */
  readonly module: string;
  readonly harness: Def;
  /**
   * It takes four seconds and more with its faults: the tests leave it to `.ci/run`, which sets MNEMO_LONG. `minutes`:
   * it takes that long, so CI proves it without its faults; `mnemo prove --faults` plants them.
   */
  readonly long?: true | "minutes";
  /** The engine that is known to decide it: the others are not started, which would only take its time. */
  readonly by?: string;
  /** Only the harness's claims: those that the module makes itself are looked at in simulation alone. */
  readonly own?: true;
  /** Steps of k-induction worth trying; default 6. */
  readonly induction?: number;
  /** No engine decides it for runs of any length: no counterexample is found within so many cycles after reset. */
  readonly bounded?: number;
  /** Cycles in which a cover must be reached; default 14. */
  readonly reach?: number;
  readonly faults: readonly [Fault, ...Fault[]];
}
