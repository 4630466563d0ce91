import type { FormalModel } from "./model.ts";

/** How far an engine looks, and for how long. */
export interface Budget {
  /** Wall-clock limit of one engine, s. */
  readonly seconds: number;
  /** The longest induction tried, cycles. */
  readonly induction: number;
  /** Cycles that a bounded check goes through, from reset. */
  readonly depth: number;
  readonly signal?: AbortSignal;
}

/** Finding of an engine about all assertions of a model together. */
export type Finding =
  /** All assertions hold in every run, however long. */
  | { readonly verdict: "proved"; readonly how: string }
  /** An assertion fails within `cycles` cycles of the start. */
  | { readonly verdict: "failed"; readonly cycles: number }
  /** No assertion fails within `cycles` cycles after reset; nothing is said of longer runs. */
  | { readonly verdict: "bounded"; readonly cycles: number }
  /** No answer; `holdsFor` cycles from reset were checked on the way. */
  | { readonly verdict: "unknown"; readonly why: string; readonly holdsFor: number };

/** A way to decide a model. */
export interface Engine {
  readonly name: string;
  /** Programs that must be on the PATH. */
  readonly needs: readonly string[];
  decide(model: FormalModel, budget: Budget): Promise<Finding>;
}
