/** What becomes of a frame. */
import type { MatchDropName, Refusal } from "../../wire/index.ts";

/** Why a frame does not leave. `port`: where it was judged; the loop port's number is that of the ports. */
export type Drop =
  | { readonly by: "judge"; readonly reason: Refusal; readonly port: number }
  | { readonly by: "match"; readonly reason: Exclude<MatchDropName, "none" | "refused">; readonly port: number }
  /** The slot's task dropped it. */
  | { readonly by: "task"; readonly task: string; readonly chain: number; readonly slot: number }
  /** It has no port to leave by, or would take a third pass. */
  | { readonly by: "egress"; readonly reason: "nowhere" | "again" };

/** A frame that leaves. `order`: one that a task made has another order than the frame that it was made of. */
export interface Exit {
  readonly port: number;
  readonly order?: string | undefined;
  readonly bytes: Uint8Array;
}
/** A slot of a chain. */
export interface SlotOf {
  readonly chain: number;
  readonly slot: number;
}
/** A pass through the core. */
export interface Pass {
  readonly dag: number;
  /** Slots whose task took it, by chain. */
  readonly took: readonly SlotOf[];
  /** Slots whose task dropped it: one in each branch that did. */
  readonly dropped: readonly SlotOf[];
}
export interface Fate {
  /** Where it leaves; none of a frame that was dropped, or is for the link or software. */
  readonly exits: readonly Exit[];
  readonly software?: Uint8Array;
  readonly drop?: Drop;
  readonly passes: readonly Pass[];
  /** The way, a word a step. */
  readonly steps: readonly string[];
  /** Frames of equal order that leave by a port keep their order; undefined: of none. */
  readonly order: string | undefined;
}
