import type { Pause } from "./pause.ts";
import type { SparseMemory } from "./sparse-memory.ts";

/** Addresses from `from` up to but not including `to` that answer with an error. */
export interface ErrorRange {
  readonly from: number;
  readonly to: number;
  readonly response?: "SLVERR" | "DECERR";
}

export interface AxiRamOptions {
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
  /** Whether answers of different IDs may overtake each other, at random. Those of one ID never do. Default no. */
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
  readonly errors?: readonly ErrorRange[];
  readonly memory?: SparseMemory;
  readonly domain?: string;
  /** Seed of jitter and order; default that of the run. */
  readonly seed?: number;
}
