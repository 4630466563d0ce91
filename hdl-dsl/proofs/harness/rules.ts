/** The rules of AXI streams as properties. */
import { bit, uint } from "../../types/shape.ts";
import type { Bit, UInt } from "../../types/value.ts";
import { reg } from "../../build/declare.ts";
import { assertAlways, assumeAlways } from "../../build/statements.ts";

/** A stream from outside: the signals that both sides can see. */
export interface Watched {
  readonly valid: Bit;
  readonly ready: Bit;
  readonly payload: UInt;
}

/**
 * Valid stays until ready, and the payload with it: given (of the module's inputs) or claimed (of its outputs). Also
 * says whether a transfer is stalled since the last cycle.
 */
function stays(s: Watched, name: string): { readonly waiting: Bit; readonly held: Bit } {
  const waiting = reg(bit, { init: 0, name: `${name}_was_waiting` });
  const payload = reg(uint(s.payload.width), { name: `${name}_was` });
  waiting.set(s.valid.and(s.ready.not()));
  payload.set(s.payload);
  return { waiting: waiting, held: s.valid.and(s.payload.eq(payload)) };
}

/** The producer outside obeys the rules. @returns 1 while a transfer waits since the cycle before */
export function producerObeys(s: Watched, name: string): Bit {
  const { waiting, held } = stays(s, name);
  assumeAlways(waiting.not().or(held), `${name}: valid stays until ready, and its payload with it`);
  return waiting;
}

/** The module obeys the rules at an output. @returns 1 while a transfer waits since the cycle before */
export function moduleObeys(s: Watched, name: string): Bit {
  const { waiting, held } = stays(s, name);
  assertAlways(waiting.not().or(held), `${name}: valid stays until ready, and its payload with it`);
  return waiting;
}
