import { type FailureReason, OperationError } from "./errors.ts";
import { mostBusy, mostRetries } from "./options.ts";
import { isHarmless, nameOf, type Reply, type ReplyCollector, type RequestSpec } from "./request.ts";
import type { Timer } from "./transport.ts";

/** What says that the node can take the request later. */
export type Refusal = "BUSY" | "MIGRATING" | "YIELD";

/** One sending of a request. */
export interface Try {
  readonly exchange: Exchange;
  readonly id: number;
  /** The link that sent it: an answer from any other node is none. */
  readonly link: object;
  readonly sentAt: number;
  /** The try counts in the windows: neither answered nor given up. */
  open: boolean;
  /** The part received so far of a reply of several frames. */
  collector?: ReplyCollector;
}

/**
 * A request from its submission to its end (paper §4.4.5, T4): the first try and its retries. Each try has an ID of its
 * own, and any of them may be answered. State: at most 1 + `mostRetries` + `mostBusy` tries.
 */
export class Exchange {
  readonly spec: RequestSpec;
  readonly tries: Try[] = [];
  /** Runs while a try waits for its answer, or the exchange for its next try. */
  timer: Timer | undefined;
  private losses = 0;
  private refusals = 0;
  private over = false;
  private readonly end: (result: Reply | OperationError) => void;

  constructor(spec: RequestSpec, end: (result: Reply | OperationError) => void) {
    this.spec = spec;
    this.end = end;
  }

  get ended(): boolean {
    return this.over;
  }
  /** ID of the operation: that of its first request since it was last renewed. */
  get operation(): number | undefined {
    return this.tries[0]?.id;
  }
  get latest(): Try | undefined {
    return this.tries.at(-1);
  }

  /**
   * No answer, or a request or answer that was damaged: whether it may be tried again; otherwise it has ended
   * in an error.
   */
  lost(reason: "TIMEOUT" | "NACK"): boolean {
    if (this.losses++ < mostRetries) return true;
    this.fail(reason, `no usable answer to the request and ${mostRetries} retries`);
    return false;
  }
  /**
   * BUSY, MIGRATING or YIELD: how many times so far, or undefined when that was once too often and it has ended in an
   * error.
   */
  refused(reason: Refusal): number | undefined {
    if (this.refusals < mostBusy) return ++this.refusals;
    this.fail(reason, `so the node said ${mostBusy + 1} times`);
    return undefined;
  }
  /** All tries so far were refused for good: the next try is an operation of its own. */
  renew(): void {
    this.tries.length = 0;
  }
  finish(reply: Reply): void {
    this.close(reply);
  }
  fail(reason: FailureReason, detail: string): void {
    // Not even a NACK proves that nothing was done: the network may have doubled the request, and damaged
    // one copy only.
    const unknown = this.tries.length > 0 && !isHarmless(this.spec);
    this.close(new OperationError(nameOf(this.spec), reason, unknown ? "unknown" : "none", detail));
  }

  private close(result: Reply | OperationError): void {
    this.over = true;
    this.timer?.cancel();
    this.end(result);
  }
}
