/** Codes of the messages, and bounds of an engine. */

/** Kinds of messages. */
export const kinds = {
  prepare: 1,
  commit: 2,
  update: 3,
  forget: 4,
  recover: 5,
  open: 6,
  inspect: 7,
  grant: 8,
} as const;
export type Kind = keyof typeof kinds;
/** Marks of a message. `merged`: all phases at once. `redo`: of a commit that is decided. `data`: a logged area. */
export const marks = { merged: 1, redo: 2, data: 4 } as const;
/** What a node says. */
export const verdicts = {
  done: 0,
  /** A page is another commit's, the table is full, or the lane to be given has a commit: nothing is kept. */
  busy: 1,
  /** The lane's floor is above it: the commit is over. */
  stale: 2,
  /** No such commit is prepared here. */
  unknown: 3,
  /** The node was reset, and has not recovered or is not open. */
  cold: 4,
  /** The message contradicts itself or what was said before, or the process may not say it. */
  refused: 5,
  /** Memory refused: `status` says how. */
  failed: 6,
  /** The log is not what was written. */
  corrupt: 7,
} as const;
export type Verdict = keyof typeof verdicts;
/** What a commit is at a node. */
export const states = { free: 0, gathering: 1, prepared: 2, committed: 3 } as const;
export type State = keyof typeof states;

/** Bounds of an engine. */
export const bounds = { lanes: 64, commits: 8, parts: 8, areaBytes: 1024, granule: 64, pageBytes: 4096 } as const;
