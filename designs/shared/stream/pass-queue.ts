import {
  assertAlways,
  assignView,
  bit,
  type Bit,
  mux,
  node,
  ram,
  reg,
  type Shape,
  stream,
  type StreamIn,
  uint,
  type Val,
  when,
} from "../../../hdl-dsl/index.ts";

/**
 * A queue behind a register, passed by while it is empty: what the register holds for the one cycle of `valid` stands
 * at the output in that cycle, and is kept if it is not taken. Latency 0, initiation interval 1; the order stays.
 * Whether something is queued is a register, so that the output is there early in the cycle. Full: the caller sees to
 * it that there are never more than `depth` elements (a power of two), which is asserted.
 */
export function passQueue<S extends Shape>(
  name: string,
  shape: S,
  depth: number,
  valid: Bit,
  payload: Val<S>,
): StreamIn<S> {
  const out = stream(shape, { name }),
    pointer = uint(Math.log2(depth));
  const store = ram(shape, { depth, collision: "undefined", style: "distributed", name: `${name}_store` });
  const queued = reg(bit, { init: 0, name: `${name}_queued` });
  const head = reg(pointer, { init: 0, name: `${name}_head` });
  const behindHead = reg(pointer, { init: 1 % depth, name: `${name}_behind_head` });
  const tail = reg(pointer, { init: 0, name: `${name}_tail` });

  // All pass through the memory, so that writing waits for nobody's ready; what passes by is skipped by the pointers.
  store.write(valid, tail, payload);
  when(valid, () => tail.set(tail.add(1)));
  out.valid.set(valid.or(queued));
  // Both are of the one shape, which is a parameter: their widths are checked at elaboration.
  assignView(out.payload, mux<unknown, unknown>(queued, store.readAsync(head), payload), "payload");
  const taken = node(out.fire, { name: `${name}_taken` });
  when(taken, () => {
    head.set(behindHead);
    behindHead.set(behindHead.add(1));
  });
  // One that is queued, and no other: the last one to go.
  const single = node(tail.eq(behindHead), { name: `${name}_single` });
  queued.set(mux(queued, single.not().or(valid).or(taken.not()), valid.and(taken.not())));
  assertAlways(
    valid.and(queued).and(tail.eq(head)).and(taken.not()).not(),
    `the queue ${name} has room for all that can come`,
  );
  return out;
}
