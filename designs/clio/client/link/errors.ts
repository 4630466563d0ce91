import type { StatusName } from "../../wire/index.ts";

/** A call that cannot be: one sentence naming what was given and the remedy. Nothing was sent. */
export class ClientError extends Error {
  override readonly name = "ClientError";
}

/** Why an operation failed: a status of the node, or no usable answer to the request and its retries. */
export type FailureReason = StatusName | "TIMEOUT" | `STATUS_${number}`;

/**
 * An operation that the node refused or that could not be finished (paper §4.4.5: after two retries the application
 * gets the error).
 */
export class OperationError extends Error {
  override readonly name = "OperationError";
  readonly operation: string;
  readonly reason: FailureReason;
  /** `none`: it certainly had no effect. `unknown`: it may have been done, wholly or in part, or be done yet. */
  readonly outcome: "none" | "unknown";

  constructor(operation: string, reason: FailureReason, outcome: "none" | "unknown", detail: string) {
    super(`${operation}: ${reason}, ${detail}${outcome === "unknown" ? "; it may have been done" : ""}`);
    this.operation = operation;
    this.reason = reason;
    this.outcome = outcome;
  }
}
