/** The naive queue that a stream unit is compared with: the elements that went in and have not come out. */
import { uint, vec } from "../../types/shape.ts";
import type { Bit, UInt } from "../../types/value.ts";
import { node, reg } from "../../build/declare.ts";
import { assertAlways, mux } from "../../build/statements.ts";
import { constant } from "../../build/value.ts";

/** What a shadow follows: one element, chosen by the prover, on its way through a unit. */
export interface ShadowOptions {
  /** What the shadow's registers are called. */
  readonly name: string;
  /** Elements that the unit may hold: 0 for one without storage. */
  readonly capacity: number;
  /** An element is at the input; `value` is what it must look like at the output. */
  readonly offered: Bit;
  /** What it must look like at the output. */
  readonly value: UInt;
  /** The offered element goes in. */
  readonly push: Bit;
  /** Output: an element is there, and is taken. */
  readonly valid: Bit;
  /** It is taken. */
  readonly pop: Bit;
  /** What the element looks like there. */
  readonly payload: UInt;
}

/**
 * Claims that the unit is a queue. Its output shows the oldest element inside; when the unit is empty, the one at its
 * input right now. Every element comes out once, and none is lost on the way. For a unit that only moves its data, a
 * payload of one bit is enough: two elements that change places can be given different bits.
 * @returns the number of elements in the unit
 */
export function isQueue(o: ShadowOptions): { readonly count: UInt; readonly empty: Bit; readonly full: Bit } {
  const { name, capacity, push, pop } = o;
  const width = o.value.width;
  if (capacity === 0) {
    assertAlways(
      o.valid.not().or(o.offered.and(o.payload.eq(o.value))),
      `${name}: what is shown is what is at the input`,
    );
    assertAlways(push.eq(pop), `${name}: in and out happen together`);
    return { count: constant(0, 1), empty: constant(1, 1), full: constant(1, 1) };
  }
  const bits = Math.ceil(Math.log2(capacity + 1));
  const slots = reg(vec(uint(width), capacity), { name: `${name}_model` });
  const count = reg(uint(bits), { init: 0, name: `${name}_model_count` });
  const empty = node(count.eq(0), { name: `${name}_model_empty` });
  const old = slots.toArray();
  const place = node(mux(pop, count.sub(1), count), { name: `${name}_model_place` });
  slots.toArray().forEach((slot, i) => {
    slot.set(mux(push.and(place.eq(i)), o.value, mux(pop, old[Math.min(i + 1, capacity - 1)] as UInt, old[i] as UInt)));
  });
  count.set(mux(push, place.add(1), place));
  const head = mux(empty, o.value, old[0] as UInt);
  assertAlways(
    o.valid.not().or(empty.not().or(o.offered).and(o.payload.eq(head))),
    `${name}: what is shown is the oldest that has not come out`,
  );
  assertAlways(pop.not().or(empty.not()).or(push), `${name}: nothing comes out twice`);
  assertAlways(push.not().or(pop).or(count.ne(capacity)), `${name}: holds ${capacity} at most`);
  return { count: count, empty, full: node(count.eq(capacity), { name: `${name}_model_full` }) };
}
