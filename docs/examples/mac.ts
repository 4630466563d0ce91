import { module, pipeline, sink, source, struct, uint } from "../../hdl-dsl/index.ts";

const Job = struct({ a: uint(16), b: uint(16), c: uint(32), tag: uint(4) });

/** a * b + c in two stages, one job per cycle; `tag` comes out with its sum. */
export const Mac = module("Mac",
  () => ({ job: sink(Job), done: source(struct({ sum: uint(32), tag: uint(4) })) }),
  (io) => {
    pipeline(io.job)
      .stage((v) => ({ product: v.a.mul(v.b).is(32) }))
      .stage((v) => ({ sum: v.product.add(v.c) })) // c and tag ride along: their delays are inserted
      .into(io.done);
  });
