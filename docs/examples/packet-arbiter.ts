import { arbiter, bit, connect, module, sink, source, struct, uint } from "../../hdl-dsl/index.ts";

const beat = struct({ data: uint(64), last: bit });

/** Two packet streams onto one, in turn; a packet that has begun stays whole. */
export const PacketArbiter = module("PacketArbiter",
  () => ({ a: sink(beat), b: sink(beat), merged: source(beat) }),
  (io) => {
    const granted = arbiter([io.a, io.b], { policy: "roundRobin", last: (v) => v.last });
    connect(granted, io.merged);
  });
