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

/**
 * A small count, one more or one less, where both are known late in the cycle: tables, and no carry chain behind them.
 * It wraps as its width does.
 */
export function lateCount(count: UInt, more: Bit, fewer: Bit): UInt {
  const last = 2 ** count.width - 1,
    by = (step: number): UInt =>
      pickOf(
        count,
        Array.from({ length: last + 1 }, (_, n) => constant((n + step) & last, count.width)),
      );
  return mux(more, mux(fewer, count, by(1)), mux(fewer, by(-1), count));
}

/**
 * A FIFO of a few elements (`depth`: a power of two, 2 or more) whose `ready` and `valid` are registers, and whose count
 * stands behind tables: for queues that take and give late in the cycle. Latency 1, initiation interval 1, also when it
 * is full and popped in every cycle. Full: `ready` is 0, also in a cycle that pops. Reset: empty.
 */
export function earlyQueue<S extends Shape>(from: StreamIn<S>, depth: number, name: string): StreamIn<S> {
  const out = stream(from.shape, { name }),
    pointer = uint(Math.log2(depth));
  const store = ram(from.shape, { depth, collision: "undefined", style: "distributed", name: `${name}_store` }),
    head = reg(pointer, { init: 0, name: `${name}_head` }),
    tail = reg(pointer, { init: 0, name: `${name}_tail` }),
    count = reg(uint(bitsFor(depth)), { init: 0, name: `${name}_count` }),
    some = reg(bit, { init: 0, name: `${name}_some` }),
    room = reg(bit, { init: 1, name: `${name}_room` });
  const push = node(from.valid.and(room), { name: `${name}_push` }),
    pop = node(some.and(out.ready), { name: `${name}_pop` });
  from.ready.set(room);
  store.write(push, tail, from.payload);
  when(push, () => tail.set(tail.add(1)));
  when(pop, () => head.set(head.add(1)));
  count.set(lateCount(count, push, pop));
  some.set(push.or(count.gt(1)).or(some.andNot(pop)));
  room.set(pop.or(count.lt(depth - 1)).or(room.andNot(push)));
  out.valid.set(some);
  assignView(out.payload, store.readAsync(head), "payload");
  assertAlways(some.eq(count.any()), `the queue ${name} has one when it counts one`);
  assertAlways(room.eq(count.ne(depth)), `the queue ${name} has room when it counts fewer than its places`);
  return out;
}
