/** Several streams onto one. */
import { bit, type Shape, uint, widthOf } from "../types/shape.ts";
import type { Bit, StreamIn, UInt, Val } from "../types/value.ts";
import { node, reg } from "../build/declare.ts";
import { mux, onehotMux, when } from "../build/statements.ts";
import { cat, constant } from "../build/value.ts";
import { assignView } from "../build/view.ts";
import { bitsAbove, encodeOnehot, lowestOfFirst, lowestSet, toBits, valueAt } from "../vectors/index.ts";
import { nameOf, stream } from "./stream.ts";

/** Who is served, and whether packets stay whole. */
export interface ArbiterOptions<S> {
  /** Of the output; default: that of the constant. */
  readonly name?: string;
  /**
   * `priority`: the lowest number first (higher ones can starve). `roundRobin`: the one after the last served first; no
   * source waits for more than n - 1 grants.
   */
  readonly policy?: "roundRobin" | "priority";
  /**
   * Last beat of a transaction: a source that has begun keeps the grant until it fires with this set (packets stay
   * whole). Without it every transfer stands alone.
   */
  readonly last?: (v: Val<S>) => Bit;
}

/**
 * Merges streams by a policy. Latency 0, initiation interval 1. The grant stays with a source that is valid and
 * stalled, so payload never changes under a stall.
 */
export function arbiter<S extends Shape>(from: readonly StreamIn<S>[], o: ArbiterOptions<S> = {}): StreamIn<S> {
  const { name } = nameOf(o, "arbitrated");
  const first = from[0] as StreamIn<S>,
    n = from.length;
  const out = stream(first.shape, { name });
  const request = node(cat(...[...from].reverse().map(s => s.valid)), { name: `${name}_request` });
  const locked = reg(bit, { init: 0, name: `${name}_locked` });
  const owner = reg(uint(n), { init: 1, name: `${name}_owner` });
  let choice: UInt = lowestSet(request);
  if (o.policy !== "priority" && n > 1) {
    // Sources after the last owner come first; when none of them asks, the lowest of all.
    const after = node(request.and(bitsAbove(owner)), { name: `${name}_after` });
    choice = lowestOfFirst(after, request);
  }
  const grant = node(mux(locked, owner, choice), { name: `${name}_grant` });
  const grants = from.map((_, i) => grant.bit(i));
  out.valid.set(grant.and(request).any());
  assignView(out.payload, payloadOf(grant, from), "payload");
  from.forEach((s, i) => s.ready.set((grants[i] as Bit).and(out.ready)));
  const ends: Bit = o.last === undefined ? constant(1, 1) : o.last(out.payload);
  when(out.valid, () => {
    owner.set(grant);
    // Held while stalled, and between the beats of a transaction.
    locked.set(out.ready.and(ends).not());
  });
  return out;
}

/**
 * Sources, and bits of each, from which on a number chooses in fewer lookup tables than a bit for each. The number
 * costs a level: for a few bits that is not worth it.
 */
const manySources = 4,
  manyBits = 128;
/** The payload of the source that is served. With none it means nothing. */
function payloadOf<S extends Shape>(grant: UInt, from: readonly StreamIn<S>[]): unknown {
  const payloads = from.map(s => s.payload);
  const bits = from.reduce((most, s) => Math.max(most, widthOf(s.shape)), 0);
  if (from.length < manySources || bits < manyBits) return onehotMux(toBits(grant), payloads);
  return valueAt(
    encodeOnehot(grant),
    payloads.map((p, i) => [i, p] as const),
  );
}

/**
 * Merges streams: `arbiter` by the name under which one looks for it. Fair unless `policy` is `priority`; packets stay
 * whole with `last`; without both, transfers of several sources mix in the order of their arrival. There is no merge
 * without a policy: transfers of one cycle must go in some order.
 */
export const merge = arbiter;
