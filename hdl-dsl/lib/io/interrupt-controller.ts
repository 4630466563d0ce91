import { input, output } from "../../types/ports.ts";
import { bit, struct, uint, vec } from "../../types/shape.ts";
import { addressBits, bitsFor } from "../../types/bits.ts";
import type { Bit, UInt } from "../../types/value.ts";
import { node, reg } from "../../build/declare.ts";
import { module } from "../../build/module.ts";
import { mux, when } from "../../build/statements.ts";
import { cat, constant, repeat } from "../../build/value.ts";
import { encodeOnehot, fromBits, lowestSet } from "../../vectors/index.ts";

/** Number of interrupt sources, and their priorities. */
export interface InterruptControllerParameters {
  /** Sources, 2 or more. */
  readonly sources: number;
  /** Bits of a priority; 3 when left out. */
  readonly priorityBits?: number;
}
const bitsOf = (p: InterruptControllerParameters): number => p.priorityBits ?? 3;

/** A source asks once until its interrupt is complete: the latch of each line. */
function gateways(lines: UInt, edges: UInt, claimed: UInt, completed: UInt): UInt {
  const n = lines.width,
    was = reg(uint<number>(n), { init: 0 }),
    pending = reg(uint<number>(n), { init: 0 }),
    serving = reg(uint<number>(n), { init: 0 });
  was.set(lines);
  // An edge counts at any time. A level counts only while its source is not served.
  const asks = node(lines.and(edges.andNot(was).or(edges.or(serving).or(claimed).not())));
  pending.set(pending.andNot(claimed).or(asks));
  serving.set(serving.andNot(completed).or(claimed));
  return node(pending.andNot(serving));
}

/** The candidates with the highest priority, one bit of it a cycle, and that priority. */
function highest(candidates: UInt, priorities: readonly UInt[]): { readonly left: UInt; readonly priority: UInt } {
  let left = candidates;
  const found: Bit[] = [],
    width = priorities[0]?.width ?? 0;
  for (let b = width - 1; b >= 0; b--) {
    const high = left.and(fromBits(priorities.map(v => v.bit(b)))),
      any = node(high.any());
    const kept = reg(uint<number>(left.width), { init: 0, name: `kept_${b}` });
    kept.set(left.and(high.or(repeat(any.not(), left.width))));
    // The bits that are known by now go along, to arrive in the same cycle.
    const known = reg(uint<number>(width - b), { init: 0, name: `known_${b}` });
    known.set(cat(...found, any));
    found.splice(0, found.length, ...Array.from({ length: width - b }, (_, i) => known.bit(width - b - 1 - i)));
    left = kept;
  }
  return { left, priority: cat(...found) };
}

/**
 * Interrupt controller of `sources` lines, numbered from 0. A line asks by its level, or by its rising edge where
 * `edges` has its bit. Of those that ask and are enabled the one with the highest priority is `best`, the lowest
 * number of equals. `irq` is 1 when that priority is above `threshold`.
 *
 * `claim` (one cycle, while `irq` is 1) takes `best`: the source no longer asks, and is served until `complete` names
 * it. A level that is still 1 then asks again. An edge that comes while its source is served is remembered, once. A
 * claim while `irq` is 0 does nothing. Several sources may be served at once. Claimed and asking by an edge in one
 * cycle: the edge is kept.
 *
 * Latency `priorityBits` + 2 cycles from a line to `irq`, initiation interval the same: after a claim `irq` is 0 for
 * `priorityBits` + 1 cycles, until the claimed source is out of the choice. A change of `enable` shows `priorityBits`
 * + 1 cycles later, one of `threshold` in the next cycle; until then a claim is by the old settings. `priorities`
 * change only while nothing has been enabled for that long. Lines are of this clock (`synchronise` brings others in).
 * Reset forgets all that asks and all that is served.
 */
export const InterruptController = module(
  "InterruptController",
  (p: InterruptControllerParameters) => ({
    lines: input(uint(p.sources)),
    edges: input(uint(p.sources)),
    enable: input(uint(p.sources)),
    priorities: input(vec(uint(bitsOf(p)), p.sources)),
    threshold: input(uint(bitsOf(p))),
    irq: output(bit),
    best: output(uint(addressBits(p.sources))),
    claim: input(bit),
    complete: input(struct({ valid: bit, source: uint(addressBits(p.sources)) })),
  }),
  (io, p) => {
    const n = p.sources,
      irq = reg(bit, { init: 0 }),
      best = reg(uint<number>(addressBits(n)), { init: 0 });
    const claim = node(io.claim.and(irq)),
      one = (holds: Bit, at: UInt): UInt => node(mux(holds, constant(1, n).shl(at), constant(0, n))),
      claimed = one(claim, best),
      completed = one(io.complete.valid, io.complete.source);
    const asking = gateways(io.lines, io.edges, claimed, completed);
    const { left, priority } = highest(asking.and(io.enable), io.priorities.toArray());
    const wait = bitsOf(p),
      waited = reg(uint<number>(bitsFor(wait)), { init: 0 });
    when(claim, () => waited.set(wait)).elseWhen(waited.any(), () => waited.set(waited.sub(1)));
    const settled = waited.eq(0).andNot(claim);
    irq.set(settled.and(left.any()).and(priority.gt(io.threshold)));
    best.set(encodeOnehot(lowestSet(left)));
    io.irq.set(irq);
    io.best.set(best);
  },
);
