import type { Client, NodeAddress } from "../client/index.ts";

/** A run of random operations by many clients. */
export interface RunOptions {
  readonly clients: readonly Client[];
  readonly address: NodeAddress;
  readonly seed: number;
  /** Operations of the application in all. */
  readonly operations: number;
  /** Threads of each client; default 2. */
  readonly threads?: number;
  /** Pages of bytes that all write and read; default 6. */
  readonly pages?: number;
  /** Words for atomics, and keys; default 48 each. */
  readonly words?: number;
  readonly keys?: number;
  /**
   * Shares of the operations; the rest are reads and writes. Default: atomics 0.35, key-value 0.1, allocation
   * and freeing 0.02.
   */
  readonly atomics?: number;
  readonly keyValue?: number;
  readonly allocation?: number;
  /** Most bytes of a read or write; default 3,000: up to three packets. */
  readonly mostBytes?: number;
  /**
   * After this, ns, no copy of a failed request is on the network or being done any more; default 4 x
   * the clients' `timeoutNs`.
   */
  readonly settleNs?: number;
  readonly progress?: (done: number) => void;
}

/** Result of a run. */
export interface RunResult {
  readonly operations: number;
  readonly done: number;
  /** Operations that ended in an error, by reason. */
  readonly failed: ReadonlyMap<string, number>;
  /** Of them: those whose outcome is not known. */
  readonly unknown: number;
  /**
   * Operations judged: atomics and key-value operations by linearizability, bytes by the writes that they
   * can come from.
   */
  readonly judgedOperations: number;
  readonly judgedBytes: number;
  /** Results that no legal order explains; empty when all is well. */
  readonly problems: readonly string[];
}
