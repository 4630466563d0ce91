/** Limits how often a stream moves. */
import { bit, type Shape, uint } from "../types/shape.ts";
import type { StreamIn } from "../types/value.ts";
import { node, reg } from "../build/declare.ts";
import { when } from "../build/statements.ts";
import { gate, nameOf } from "./stream.ts";

/**
 * Lets one transfer pass in `cycles` cycles at most (1: all). Latency 0, initiation interval `cycles`. The count begins
 * with a transfer and waits for the next one. So a transfer that has waited long enough passes at once, and an offered
 * transfer is never withdrawn.
 * @param o.name of the output; default: that of the constant
 */
export function throttle<S extends Shape>(
  from: StreamIn<S>,
  cycles: number,
  o: { readonly name?: string } = {},
): StreamIn<S> {
  if (!Number.isInteger(cycles) || cycles < 1)
    throw new RangeError(`throttle: ${cycles} cycles between transfers is not a whole number of 1 or more`);
  if (cycles === 1) return from;
  const { name } = nameOf(o, "throttled");
  const wait = reg(cycles === 2 ? bit : uint(Math.ceil(Math.log2(cycles))), { init: 0, name: `${name}_wait` });
  const open = node(wait.eq(0), { name: `${name}_open` });
  const out = gate(from, open, { name });
  when(from.fire, () => wait.set(cycles - 1)).elseWhen(open.not(), () => wait.set(wait.sub(1)));
  return out;
}
