import {
  bit,
  type Bit,
  bitsAbove,
  constant,
  decode,
  firstSet,
  literalOf,
  mux,
  node,
  struct,
  uint,
  type UInt,
  type Val,
} from "../../../../hdl-dsl/index.ts";
import { derived, type Parameters } from "../../config/index.ts";
import type { SetState } from "./state.ts";

/** What can be had of a set: a free way, or one whose line leaves. */
export const Chosen = (p: Parameters) =>
  struct({ free: bit, freeWay: uint(derived(p).wayBits), victim: bit, victimWay: uint(derived(p).wayBits) });

/**
 * The way of a set for a new line. A free one comes first, the lowest. Of a full set it is the one at the pointer,
 * which goes round: the oldest. By use it is the first from the pointer on that no sweep has seen used, and else the
 * one at the pointer. A way that waits for its line is nobody's victim: then none can be had.
 */
export function choose(p: Parameters, set: Val<ReturnType<typeof SetState>>): Val<ReturnType<typeof Chosen>> {
  const { wayBits } = derived(p);
  const free = firstSet(set.valid.or(set.writable).not());
  const pointed = decode(set.pointer, p.ways);
  const oldest = { any: set.valid.and(pointed).any(), index: set.pointer };
  const victim = p.policy === "fifo" ? oldest : unused(p, set, pointed, oldest);
  return literalOf(Chosen(p), {
    free: node(free.any, { name: "way_is_free" }),
    freeWay: free.index.is(wayBits),
    victim: node(victim.any, { name: "can_leave" }),
    victimWay: victim.index.is(wayBits),
  });
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
