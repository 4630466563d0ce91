/** When frames are injected: at their capture times, back to back, or each after the answer to the one before. */
export const paces = ["capture", "line-rate", "closed-loop"] as const;
export type Pace = (typeof paces)[number];

/** Options of `mnemo run` as parsed. */
export interface RunOptions {
  readonly in: string;
  readonly out: string;
  /** `key=value` each. */
  readonly set: readonly string[];
  readonly setup?: string;
  readonly pace: Pace;
  /** Only frames from this IPv4 address are played. */
  readonly from?: string;
  readonly wave?: string;
  readonly stats?: string;
  /** Print what costs the simulator's time. */
  readonly profile?: true;
  readonly seed: number;
}
