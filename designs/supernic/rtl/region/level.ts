import { assertAlways, bit, type Bit, bitsFor, reg, uint, type UInt, when } from "../../../../hdl-dsl/index.ts";

/** A number that goes up and down by one; both in one cycle leave it. */
export function level(name: string, bits: number, up: Bit, down: Bit): UInt {
  const n = reg(uint(bits), { init: 0, name });
  when(up.andNot(down), () => n.set(n.add(1))).elseWhen(down.andNot(up), () => n.set(n.sub(1)));
  return n;
}

/** A level of at most `most`: whether there is anything, and room for one more, in registers of their own. */
export interface BoundedLevel {
  readonly level: UInt;
  readonly some: Bit;
  readonly room: Bit;
}
/** The same for who asks early in the cycle: neither waits for the number to be compared. */
export function boundedLevel(name: string, most: number, up: Bit, down: Bit): BoundedLevel {
  const n = level(name, bitsFor(most), up, down),
    some = reg(bit, { init: 0, name: `has_${name}` }),
    room = reg(bit, { init: 1, name: `${name}_has_room` });
  when(up.andNot(down), () => {
    some.set(1);
    room.set(n.lt(most - 1));
  }).elseWhen(down.andNot(up), () => {
    some.set(n.gt(1));
    room.set(1);
  });
  assertAlways(some.eq(n.any()), `there is something of ${name} when its level says so`);
  assertAlways(room.eq(n.lt(most)), `there is room for ${name} when its level says so`);
  return { level: n, some, room };
}
