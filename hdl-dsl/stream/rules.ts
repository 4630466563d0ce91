/** The rules of a stream as properties: valid does not fall before ready, and a payload that waits stays as it is. */
import { context } from "../build/context.ts";
import { past, sameAsBefore } from "../build/past.ts";
import { assertAlways, assumeAlways } from "../build/statements.ts";
import type { Bit } from "../types/value.ts";
import { exprOf } from "../build/value.ts";

/** The signals of a stream: those of a port, of an instance, or of a stream made here. */
export interface WatchedStream {
  readonly valid: Bit;
  readonly ready: Bit;
  readonly payload: unknown;
}

/** Which side of a stream is held to the rules, and by what name. */
export interface StreamRulesOptions {
  /** For the messages; default: the stream's own name. */
  readonly name?: string;
  /**
   * `assert`: who sends is in this design. `assume`: who sends is outside. Default: `assume` for a sink of the module,
   * `assert` for a source and for all streams within.
   */
  readonly as?: "assert" | "assume";
}

/**
 * States the rules of a stream: as asserts where the design sends, as assumes where its surroundings do. Simulation
 * checks both, proofs use the second. @returns 1 while a transfer waits since the cycle before
 */
export function streamRules(s: WatchedStream, o: StreamRulesOptions = {}): Bit {
  const valid = exprOf(s.valid, "streamRules");
  const known = context().streams.find(t => valid.kind === "read" && t.valid === valid.signal);
  const name = o.name ?? known?.name ?? "stream";
  const state = (o.as ?? (known?.dir === "in" ? "assume" : "assert")) === "assume" ? assumeAlways : assertAlways;
  const waiting = past(s.valid.and(s.ready.not()), 1, { name: `${name}_waiting` });
  state(waiting.not().or(s.valid), `${name}: valid stays until ready`);
  state(waiting.not().or(sameAsBefore(s.payload, "streamRules")), `${name}: the payload stays while it waits`);
  return waiting;
}
