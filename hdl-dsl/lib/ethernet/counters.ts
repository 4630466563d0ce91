/** Counters of one clock that another one reads. */
import { uint } from "../../types/shape.ts";
import type { Bit, UInt } from "../../types/value.ts";
import type { ClockDomain } from "../../ir/circuit.ts";
import { inDomain } from "../../build/clock-domain.ts";
import { node, reg } from "../../build/declare.ts";
import { mux } from "../../build/statements.ts";
import { synchronise } from "../clocks/index.ts";
import { fromGray, toGray } from "../codes/index.ts";

/** Events of `domain`, counted there, as a number of the current domain, 2 to 3 of its cycles later; it wraps. */
export function countedIn(domain: ClockDomain, event: Bit, bits: number, name: string): UInt {
  const gray = inDomain(domain, () => {
    const count = reg(uint<number>(bits), { init: 0, name }),
      next = node(mux(event, count.add(1), count), { name: `${name}_next` }),
      out = reg(uint<number>(bits), { init: 0, name: `${name}_gray` });
    count.set(next);
    out.set(toGray(next));
    return out;
  });
  return fromGray(synchronise(gray, { name: `${name}_seen` }));
}
