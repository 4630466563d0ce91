/** What the threads of a rack tell each other. */
import type { AllCounts } from "../../../supernic/rig/index.ts";
import type { Arrival, Window } from "../fabric/index.ts";

/** What a thread is begun with: it reads the setup itself. */
export interface Start {
  readonly text: string;
  /** Of the setup, for sentences. */
  readonly path: string;
  readonly seed: number;
  /** Its members' places among all, in order. */
  readonly members: readonly number[];
}
/** A question about a member; the answer may take simulated time. */
export type Question =
  | { readonly member: number; readonly what: "isAtRest" }
  | { readonly member: number; readonly what: "finish"; readonly strict: boolean };
export interface Ask {
  readonly id: number;
  readonly question: Question;
}
export interface Answer {
  readonly id: number;
  readonly value: unknown;
}
export type Order =
  | {
      readonly kind: "advance";
      readonly cycle: number;
      readonly arrivals: readonly Arrival[];
      readonly asks: readonly Ask[];
    }
  | { readonly kind: "end" };
export type News =
  | { readonly kind: "joined" }
  | { readonly kind: "window"; readonly window: Window; readonly answers: readonly Answer[] }
  | { readonly kind: "failed"; readonly message: string };

/** What a sNIC tells at its end. */
export interface DeviceEnd {
  readonly counters: AllCounts;
  readonly problems: readonly string[];
  /** By port: frames that left. */
  readonly left: readonly number[];
  readonly comparedBytes: number;
}
