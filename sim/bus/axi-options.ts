import type { Pause } from "./pause.ts";
import type { SparseMemory } from "./sparse-memory.ts";

/**
 * Addresses from `from` up to but not including `to` that answer with an error: the beats of a read that touch them,
 * and a whole burst of writes.
 */
export interface ErrorRange {
  readonly from: number;
  readonly to: number;
  readonly response?: "SLVERR" | "DECERR";
}

/**
 * In which order a memory takes a write's address and its data; AXI4 allows each (A3.3.1), and no master may wait for
 * one of them before it offers the other. `any`: whichever comes. `address first`: no data before its address.
 * `data first`: no address before all of its data. `together`: an address and its first beat in the same cycle, when
 * both stand.
 */
export type WriteOrder = "any" | "address first" | "data first" | "together";

/** Order, latency, errors and pauses of a simulated AXI4 memory. */
export interface AxiRamOptions {
  /** The order in which a write's address and data are taken. Default `any`. */
  readonly accepts?: WriteOrder;
  /**
   * Cycles. Reads: the address handshake at edge k is answered with a first R beat that can fire at edge k + latency.
   * Then comes one beat per cycle. Writes: B can be taken `latency` edges after the later of the address handshake and
   * the last data beat. Both pipelined: a later request does not wait for an earlier one's latency, only for its beats.
   * At least 1; default 50.
   */
  readonly latency?: number | { readonly read: number; readonly write: number };
  /**
   * Up to so many cycles more, at random per burst. Default 0, or 16 when out of order: with no spread
   * nothing would overtake.
   */
  readonly jitter?: number;
  /** Whether answers of different IDs may overtake each other, at random. Answers of one ID never do. Default no. */
  readonly outOfOrder?: boolean;
  /** Whether R beats of different IDs may be mixed, as AXI4 allows; needs `outOfOrder`. Default no. */
  readonly interleave?: boolean;
  /** Back-pressure by channel. */
  readonly pause?: {
    readonly aw?: Pause;
    readonly w?: Pause;
    readonly b?: Pause;
    readonly ar?: Pause;
    readonly r?: Pause;
  };
  /** Bursts waiting in each direction before the address channel stalls. Default 64. */
  readonly depth?: number;
  /** Addresses that are answered with an error. */
  readonly errors?: readonly ErrorRange[];
  /** The content; default: one of its own. */
  readonly memory?: SparseMemory;
  /** Clock domain; the default one. */
  readonly domain?: string;
  /** Seed of jitter and order; default that of the run. */
  readonly seed?: number;
}

/**
 * Memories of every legal order, by what they are like: a master that works with one of them may still hang with
 * another. Benches of masters run with each.
 */
export const legalMemories: Readonly<Record<string, AxiRamOptions>> = {
  "an address before its data": { accepts: "address first" },
  "all data before its address": { accepts: "data first" },
  "an address and its first beat together": { accepts: "together" },
  "answers across IDs in any order, late": { outOfOrder: true, jitter: 40 },
  "read beats of several IDs mixed": { outOfOrder: true, interleave: true },
  "a single burst at a time": { depth: 1 },
};
