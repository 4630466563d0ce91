/** What a network task declares, and what it may answer: for its hardware, its wrapper and its model alike. */

import { stateFaults, type StateSchema } from "./task-state.ts";

/** Bytes of a header: what a task sees of a packet. */
export const taskHeaderBytes = 64;
/** What becomes of a packet; `reply`: it goes back to where it came in. */
export const taskVerdicts = ["forward", "drop", "reply"] as const;
export type TaskVerdictName = (typeof taskVerdicts)[number];
/** Bits of the tag by which a task names the packet that it answers. */
export const taskTagBits = 8;
/** Bits of what a DAG tells its tasks. */
export const taskArgBits = 8;
/** A word of a task's configuration. */
export const taskConfigBits = { at: 16, data: 64 } as const;
/** Packets in a task, at most. */
export const mostHeld = 64;

/** What a task does with the payloads of its packets. */
export type PayloadUse = "none" | "read" | "write";
export const payloadUse = ({ payload = "none" }: Pick<Declared, "payload">): PayloadUse => payload;

/** What a task does behind payloads: it puts a trailer there, or leaves out one that it found. */
export type TrailerUse = "puts" | "cuts";
/** Bytes of a trailer. */
export const trailerBytes = 16;

/** Whether a task has a way to the board's memory. */
export const usesMemory = ({ memory = false }: Pick<Declared, "memory">): boolean => memory;
/** Bytes of its space; a task that does not say has a page of 2 MB. */
export const spaceBytesOf = ({ spaceBytes = 2 ** 21 }: Pick<Declared, "spaceBytes">): number => spaceBytes;
/** Tasks of a device that may have memory. */
export const mostMemoryTasks = 8;

/** Whether a task makes frames of its own. */
export const makesFrames = ({ makes = false }: Pick<Declared, "makes">): boolean => makes;

/** Tasks of a device that may have payload: each has a bus of the packet store. */
export const mostPayloadTasks = 2;

/** A network task as others know it: its wrapper holds it to this, and the planner of DAGs relies on it. */
export interface Declared {
  readonly name: string;
  /** What it does with payloads; left out: nothing. One that writes is given them, too. */
  readonly payload?: PayloadUse;
  /** What it may do with the 16 bytes behind a payload; left out: nothing. It writes payload, too. */
  readonly trailer?: TrailerUse;
  /** It has a space in the board's memory; left out: none. */
  readonly memory?: boolean;
  /** Bytes of that space, in pages that come with their first touch. */
  readonly spaceBytes?: number;
  /** It makes frames of its own; left out: none. */
  readonly makes?: boolean;
  /** Bytes of the header that it reads, a bit each, byte 0 lowest; it sees 0 for the others. */
  readonly reads: bigint;
  /** Bytes of the header that it may write. */
  readonly writes: bigint;
  /** Bytes that it may put in front, at most 64; 0: none. */
  readonly growth: number;
  /** Bytes that it may leave out in front, at most 64. */
  readonly leavesOut: number;
  /** Cycles from taking to answering, when nothing waits: 1 or more. */
  readonly latency: number;
  /** Cycles from taking a packet to taking the next one: 1 or more. */
  readonly interval: number;
  /** Cycles behind its last row in which it drops what comes: a key is expanded. Left out: none. */
  readonly prepares?: number;
  /** Packets that it has inside, at most: 1 to 64. One more than are under way, if a take may meet an answer. */
  readonly holds: number;
  /** What it keeps between packets: nothing, by flow, or for all; the last has one instance only. */
  readonly state: "none" | "flow" | "shared";
  /**
   * What of that software reads, and writes back when the chain comes again. `cold`: nothing, and it starts rightly
   * without it. Left out: nothing, and what it has is lost with its chain.
   */
  readonly keeps?: StateSchema | "cold";
}
/** What software reads and writes of a task's state; undefined: nothing. */
export const keptOf = ({ keeps }: Pick<Declared, "keeps">): StateSchema | undefined =>
  keeps === "cold" ? undefined : keeps;

/** `count` bytes of a header from byte `from` on. */
export const headerBytesFrom = (from: number, count: number): bigint => ((1n << BigInt(count)) - 1n) << BigInt(from);

/** What is wrong with a declaration, a sentence each that names field, value and remedy. */
export function declarationFaults(d: Declared): readonly string[] {
  const outside = (bytes: bigint): boolean => bytes < 0n || bytes >> BigInt(taskHeaderBytes) !== 0n,
    within = (n: number, least: number, most: number): boolean => Number.isInteger(n) && n >= least && n <= most;
  const numbers = [
    ["growth", d.growth, 0, taskHeaderBytes],
    ["leavesOut", d.leavesOut, 0, taskHeaderBytes],
    ["latency", d.latency, 1, 65_535],
    ["interval", d.interval, 1, 65_535],
    ["holds", d.holds, 1, mostHeld],
  ] as const;
  return [
    ...(["reads", "writes"] as const)
      .filter(field => outside(d[field]))
      .map(
        field =>
          `${d.name}: ${field} = 0x${d[field].toString(16)} names bytes behind the header's ${taskHeaderBytes}; leave them out`,
      ),
    ...(d.trailer !== undefined && payloadUse(d) !== "write"
      ? [`${d.name}: trailer = ${d.trailer}: a task with a trailer writes payload; declare payload = write`]
      : []),
    ...(keptOf(d) === undefined ? [] : stateFaults(d.name, keptOf(d) ?? { parts: [] })),
    ...(keptOf(d) !== undefined && d.state === "none" ? [`${d.name}: keeps state, and declares none; say which`] : []),
    ...numbers
      .filter(([, n, least, most]) => !within(n, least, most))
      .map(([field, n, least, most]) => `${d.name}: ${field} = ${n}: must be ${least} to ${most}`),
  ];
}
