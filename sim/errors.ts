/** Bad input to the harness: one sentence naming the field, the value and the remedy. */
export class SimulationError extends Error {
  override readonly name: string = "SimulationError";
}

/** A native tool failed or is missing while a model was built. */
export class BuildError extends SimulationError {
  override readonly name: string = "BuildError";
}

/**
 * Why a model died: `$finish`, `$stop` (a failed assertion or `$error` too), `$fatal`, or an exception in native code.
 */
export type StopCause = "finish" | "stop" | "fatal" | "exception";

/** The design ended the simulation; its model cannot be stepped any more. */
export class DesignStopped extends SimulationError {
  override readonly name: string = "DesignStopped";
  readonly stopCause: StopCause;
  /** Rising edges simulated when it happened. */
  readonly cycle: number;
  /** Output of the design so far (`$display`, `$error`, ...; the last 64 KB). */
  readonly output: string;
  constructor(message: string, cause: StopCause, cycle: number, output: string) {
    super(message);
    this.stopCause = cause;
    this.cycle = cycle;
    this.output = output;
  }
}

/** A rule of a bus protocol was broken by one of its two sides. */
export class ProtocolError extends SimulationError {
  override readonly name: string = "ProtocolError";
}

/** Nothing moves any more: the stalled streams, the start of each stall, and the side that is not ready. */
export class HangError extends SimulationError {
  override readonly name: string = "HangError";
}

/** A wait in simulated time ran out. */
export class TimeoutError extends SimulationError {
  override readonly name: string = "TimeoutError";
}

/** Thrown out of a wait of a task that was cancelled; `finally` blocks run, otherwise it is invisible. */
export class Cancelled extends Error {
  override readonly name: string = "Cancelled";
  constructor() {
    super("the task was cancelled");
  }
}
