import { bitsFor } from "../../types/bits.ts";
import { uint } from "../../types/shape.ts";
import type { Bit } from "../../types/value.ts";
import { reg } from "../../build/declare.ts";
import { assertAlways, when } from "../../build/statements.ts";

/**
 * What is due is offered within `cycles` cycles, whatever its receiver does: a valid that waits for ready is found by
 * this, and so is one that never comes. Cycles in which `held` is 1 do not count.
 */
export function offersWithin(cycles: number, due: Bit, offered: Bit, message: string, name: string, held?: Bit): void {
  const late = reg(uint<number>(bitsFor(cycles)), { init: 0, name: `${name}_late` });
  const waits = held === undefined ? late.lt(cycles) : late.lt(cycles).and(held.not());
  when(due.not().or(offered), () => late.set(0)).elseWhen(waits, () => late.set(late.add(1)));
  assertAlways(late.lt(cycles), message);
}
