import {
  assertAlways,
  assignView,
  bit,
  type Bit,
  bitsFor,
  constant,
  mux,
  node,
  ram,
  reg,
  type Shape,
  stream,
  type StreamIn,
  uint,
  type UInt,
  when,
} from "../../../hdl-dsl/index.ts";
import { pickOf } from "../frame/index.ts";

/** Bits of a count for which a table of each bit is one lookup table. */
const tableBits = 6;

/**
 * A count, a few more or less, in the time of a table: no carry chain, as long as it is small. It wraps as its width
 * does.
 */
export function stepped(count: UInt, step: number): UInt {
  const places = 2 ** count.width;
  if (count.width > tableBits) return step < 0 ? count.sub(-step) : count.add(step);
  return pickOf(
    count,
    Array.from({ length: places }, (_, n) => constant((n + step + places) % places, count.width)),
  );
}
/** A count, one more or one less, where both are known late in the cycle: they choose between counts that are there. */
export const lateCount = (count: UInt, more: Bit, fewer: Bit): UInt =>
  mux(more, mux(fewer, count, stepped(count, 1)), mux(fewer, stepped(count, -1), count));

/**
 * A FIFO in distributed memory (`depth`: a power of two, 2 or more) whose `ready` and `valid` are registers, and whose
 * count stands behind tables: for queues that take and give late in the cycle. With `front`, its first word is in a
 * register, too. Latency 1, initiation interval 1, also when it is full and popped in every cycle. Full: `ready` is 0,
 * also in a cycle that pops. Reset: empty.
 */
export const earlyQueue = <S extends Shape>(
  from: StreamIn<S>,
  depth: number,
  name: string,
  front?: "front",
): StreamIn<S> => earlyQueueWithLevel(from, depth, name, front).out;

/** The same, with the number of elements in it. */
export function earlyQueueWithLevel<S extends Shape>(
  from: StreamIn<S>,
  depth: number,
  name: string,
  front?: "front",
): { readonly out: StreamIn<S>; readonly level: UInt } {
  const out = stream(from.shape, { name }),
    pointer = uint(Math.log2(depth));
  const store = ram(from.shape, { depth, collision: "undefined", style: "distributed", name: `${name}_store` }),
    head = reg(pointer, { init: front === undefined ? 0 : 1 % depth, name: `${name}_head` }),
    tail = reg(pointer, { init: 0, name: `${name}_tail` }),
    count = reg(uint(bitsFor(depth)), { init: 0, name: `${name}_count` }),
    some = reg(bit, { init: 0, name: `${name}_some` }),
    room = reg(bit, { init: 1, name: `${name}_room` });
  const push = node(from.valid.and(room), { name: `${name}_push` }),
    pop = node(some.and(out.ready), { name: `${name}_pop` }),
    several = node(count.gt(1), { name: `${name}_several` });
  from.ready.set(room);
  store.write(push, tail, from.payload);
  when(push, () => tail.set(tail.add(1)));
  when(pop, () => head.set(head.add(1)));
  count.set(lateCount(count, push, pop));
  some.set(push.or(several).or(some.andNot(pop)));
  room.set(pop.or(count.lt(depth - 1)).or(room.andNot(push)));
  out.valid.set(some);
  const word = store.readAsync(head);
  if (front === undefined) assignView(out.payload, word, "payload");
  else {
    // `head` is behind it. What comes to none, or as the only one goes, is the first.
    const first = reg(from.shape, { name: `${name}_front` });
    // Both are of the one shape, which is a parameter: their widths are checked at elaboration.
    when(pop.or(some.not()), () => assignView(first, mux<unknown, unknown>(several, word, from.payload), "front"));
    assignView(out.payload, first, "payload");
  }
  assertAlways(some.eq(count.any()), `the queue ${name} has one when it counts one`);
  assertAlways(room.eq(count.ne(depth)), `the queue ${name} has room when it counts fewer than its places`);
  return { out, level: count };
}
