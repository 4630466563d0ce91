import { connect, fifo, module, sink, source, uint } from "../../../hdl-dsl/index.ts";

/** A queue between two streams. Latency 1, one word a cycle; full: `from.ready` is 0. */
export const Queue = module(
  "Queue",
  (p: { width: number; depth: number }) => ({ from: sink(uint(p.width)), to: source(uint(p.width)) }),
  (io, p) => {
    connect(fifo(io.from, p.depth), io.to);
  },
);
