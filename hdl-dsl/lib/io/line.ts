/** Lines from outside the chip. */
import { bit } from "../../types/shape.ts";
import type { Bit } from "../../types/value.ts";
import { node, reg } from "../../build/declare.ts";
import { synchronise } from "../clocks/index.ts";

/**
 * A line from outside that is 1 when nobody drives it: through two registers, then the majority of the last three
 * cycles. Latency 3 to 4 cycles. A disturbance of one cycle is never seen.
 * @param name of the registers
 */
export function filteredLine(line: Bit, name: string): Bit {
  const now = synchronise(line, { name, init: 1 }),
    before = reg(bit, { init: 1, name: `${name}_before` }),
    earlier = reg(bit, { init: 1, name: `${name}_earlier` });
  before.set(now);
  earlier.set(before);
  const agree = before.and(now.or(earlier));
  return node(agree.or(now.and(earlier)), { name: `${name}_level` });
}

/** 1 in the cycle in which a line has changed to 1 or to 0. The line counts as 1 before reset has ended. */
export function edgesOf(line: Bit, name: string): { readonly rose: Bit; readonly fell: Bit } {
  const was = reg(bit, { init: 1, name: `${name}_was` });
  was.set(line);
  return { rose: line.andNot(was), fell: was.andNot(line) };
}
