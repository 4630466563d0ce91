/** A queue in which there is always room. */
import { assertAlways, Fifo, instance, type uint, type UInt } from "../../../../../hdl-dsl/index.ts";

/** A queue of `depth` that is pushed when `valid` and always has room. */
export function pulse(name: string, shape: ReturnType<typeof uint>, valid: UInt<1>, value: UInt, depth: number) {
  const queue = instance(name, Fifo({ shape, depth, style: "distributed" }));
  queue.push.valid.set(valid);
  queue.push.payload.set(value);
  assertAlways(valid.and(queue.push.ready.not()).not(), `the queue ${name} has room for every operation in flight`);
  return queue.pop;
}
