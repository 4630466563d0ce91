import {
  assertAlways, assignView, fifo, mux, node, stream, type Bit, type Shape, type StreamIn, type Val,
} from "../../../hdl-dsl/index.ts";

/**
 * A queue behind a register, passed by while it is empty: what the register holds for the one cycle of `valid` stands at the output in
 * that cycle, and is kept if it is not taken. Latency 0, initiation interval 1; the order stays. Full: the caller sees to it that there are
 * never more than `depth` elements, which is asserted.
 */
export function passQueue<S extends Shape>(name: string, shape: S, depth: number, valid: Bit, payload: Val<S>): StreamIn<S> {
  const out = stream(shape, { name }), push = stream(shape, { name: `${name}_in` });
  const kept = fifo(push as unknown as StreamIn<S>, depth, { style: "distributed", name: `${name}_queue` });
  const queued = node(kept.valid, { name: `${name}_queued` });
  push.valid.set(valid.and(queued.or(out.ready.not())));
  out.valid.set(valid.or(queued));
  assignView(out.payload, mux(queued, kept.payload, payload as never), "payload");
  assignView(push.payload, payload, "payload");
  kept.ready.set(out.ready);
  assertAlways(push.valid.and(push.ready.not()).not(), `the queue ${name} has room for all that can come`);
  return out as unknown as StreamIn<S>;
}
