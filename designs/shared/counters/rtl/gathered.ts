/** What came of an event since it was last asked for: how it is kept, and how it is read. */
import {
  type Bit,
  bitsFor,
  constant,
  fromBits,
  lfsrStep,
  lfsrTaps,
  mux,
  node,
  ram,
  reg,
  toBits,
  uint,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";
import { pickOf } from "../../frame/index.ts";

/** Of the shortest register whose states are told apart here. */
const leastBits = 3;
/** Bits of a register that tells 0 to `most` events apart: it has a state less than a count of as many bits. */
const stateBits = (most: number): number => Math.max(leastBits, bitsFor(most + 1));

/** The states in their order, from 1 on. */
function statesOf(bits: number): readonly bigint[] {
  const states = [1n];
  for (let s = lfsrStep(bits, 1n); s !== 1n; s = lfsrStep(bits, s)) states.push(s);
  return states;
}

/** A register that goes one state on with each event: a LUT, where a count has one for each bit. */
function stepped(name: string, bits: number, event: Bit): UInt {
  const state = reg(uint(bits), { init: 1, name }),
    [first, ...others] = (lfsrTaps[bits] ?? []).map(t => state.bit(t - 1));
  if (first === undefined) throw new RangeError(`no shift register of ${bits} bits has all states`);
  const fed = others.reduce((a, b) => a.xor(b), first);
  when(event, () => state.set(fromBits([fed, ...toBits(state).slice(0, bits - 1)]).is(bits)));
  return state;
}

/** Turns in a round; whose it is, and whose it will be; a first round after a reset. */
interface Round {
  /** So many events come to one in it at most. */
  readonly round: number;
  readonly turn: UInt;
  readonly ahead: UInt;
  readonly clearing: Bit;
}
/**
 * Single events, each in a register that is never cleared: a memory has where each was when its turn came last. So no
 * event is lost in that cycle. In the first round that memory says nothing.
 * @returns how many have come to the one whose turn it is, until the cycle before; 0 of a place that has none
 */
export function steppedEvents(events: readonly (Bit | undefined)[], { round, turn, ahead, clearing }: Round): UInt {
  const bits = stateBits(round),
    order = statesOf(bits),
    none = constant(1, bits);
  const state = reg(uint(bits), { init: 1, name: "state" });
  state.set(
    pickOf(
      ahead,
      events.map((e, i) => (e === undefined ? none : stepped(`state_${i}`, bits, e))),
    ).is(bits),
  );
  // The number of a state; what is no state has none.
  const number = node(
    pickOf(
      state,
      Array.from({ length: 2 ** bits }, (_, s) => constant(Math.max(0, order.indexOf(BigInt(s))), bits)),
    ).is(bits),
    { name: "number" },
  );
  const seen = ram(uint(bits), { depth: 2 ** turn.width, collision: "old", style: "distributed", name: "seen" });
  seen.write(constant(1, 1), turn, number);
  const before = node(mux(clearing, constant(0, bits), seen.readAsync(turn)), { name: "seen_before" });
  // Behind the last state comes the first: there are one fewer than the difference wraps by.
  return node(number.sub(before).sub(number.lt(before).zext(bits)), { name: "events_since" });
}
