import { sink, source, type StreamPort } from "../../types/ports.ts";
import type { Shape } from "../../types/shape.ts";
import { type Def, module } from "../../build/module.ts";
import { stage } from "../../stream/stage.ts";
import { connectAny } from "../../stream/connect.ts";
/** What passes through. */
export interface SkidBufferParameters<S extends Shape = Shape> {
  /** Of a transfer. */ readonly shape: S;
}

const definition = module(
  "SkidBuffer",
  (p: SkidBufferParameters) => ({ from: sink(p.shape), to: source(p.shape) }),
  io => connectAny(stage(io.from, "backward", { name: "skid" }), io.to),
);

/**
 * Cuts the ready path of a stream: `from.ready` comes from a register. Latency 0 (valid and payload pass through
 * combinationally), initiation interval 1. Full (one element held, because the consumer stalled in the cycle of its
 * arrival): `from.ready` is 0, and what is held goes out first. Empty: `to.valid` is `from.valid`. Taken and arriving
 * in one cycle while full: the arrival waits one cycle at the producer, no throughput is lost.
 */
export function SkidBuffer<const S extends Shape>(
  p: SkidBufferParameters<S>,
): Def<{ readonly from: StreamPort<"in", S>; readonly to: StreamPort<"out", S> }> {
  return definition(p) as never;
}
