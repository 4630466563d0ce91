import {
  type Bit,
  bitsAbove,
  constant,
  decode,
  firstSet,
  mux,
  node,
  type UInt,
  type Val,
} from "../../../../hdl-dsl/index.ts";
import { derived, type Parameters } from "../../config/index.ts";
import type { SetState } from "./state.ts";

export interface Chosen {
  /** A way can be had in this cycle. */
  readonly any: Bit;
  readonly way: UInt;
  /** It holds a line, which leaves. */
  readonly holds: Bit;
  /** The pointer goes one further. */
  readonly turns: Bit;
}

/**
 * The way of a set for a new line. A free one comes first, the lowest. Of a full set it is the one at the pointer,
 * which goes round: the oldest. By use it is the first from the pointer on that no sweep has seen used, and else the
 * one at the pointer. A way that waits for its line is nobody's victim: then none can be had.
 */
export function choose(p: Parameters, set: Val<ReturnType<typeof SetState>>): Chosen {
  const { wayBits } = derived(p);
  const free = firstSet(set.valid.or(set.writable).not());
  const pointed = decode(set.pointer, p.ways);
  const oldest = { any: set.valid.and(pointed).any(), index: set.pointer };
  const victim = p.policy === "fifo" ? oldest : unused(p, set, pointed, oldest);
  return {
    any: node(free.any.or(victim.any), { name: "can_be_had" }),
    way: node(mux(free.any, free.index.is(wayBits), victim.index.is(wayBits)), { name: "chosen_way" }),
    holds: free.any.not(),
    turns: free.any.not(),
  };
}

function unused(
  p: Parameters,
  set: Val<ReturnType<typeof SetState>>,
  pointed: UInt,
  oldest: { readonly any: Bit; readonly index: UInt },
): { readonly any: Bit; readonly index: UInt } {
  const idle = node(set.valid.andNot(set.used), { name: "unused_ways" }),
    from = node(bitsAbove(pointed).or(pointed), { name: "from_pointer" }),
    near = firstSet(idle.and(from)),
    far = firstSet(idle);
  const valid = firstSet(set.valid);
  const used = mux(oldest.any, oldest.index.is(derived(p).wayBits), valid.index.is(derived(p).wayBits));
  return {
    any: set.valid.any(),
    index: mux(near.any, near.index.is(derived(p).wayBits), mux(far.any, far.index.is(derived(p).wayBits), used)),
  };
}

/** All ones or none. */
export const spread = (b: Bit, n: number): UInt => mux(b, constant((1n << BigInt(n)) - 1n, n), constant(0, n));
