/** Copies of a stream. */
import { bit, type Shape } from "../types/shape.ts";
import type { Bit, StreamIn, Times } from "../types/value.ts";
import { reg } from "../build/declare.ts";
import { constant } from "../build/value.ts";
import { assignView } from "../build/view.ts";
import { nameOf, stream } from "./stream.ts";

/**
 * Every transfer goes to every output once. `eager`: each output takes it as soon as it can, the source moves on when
 * all have (one bit of state per output). `lazy`: all outputs fire in the same cycle, without state. Valid of one
 * output waits for ready of the others, so the outputs must not make ready wait for valid.
 * @param o.name of the outputs; default: that of the constant
 */
export function fork<S extends Shape, const N extends number>(
  from: StreamIn<S>,
  count: N,
  kind?: "eager" | "lazy",
  o?: { readonly name?: string },
): Times<StreamIn<S>, N>;
export function fork<S extends Shape>(
  from: StreamIn<S>,
  count: number,
  kind: "eager" | "lazy" = "eager",
  o: { readonly name?: string } = {},
): StreamIn<S>[] {
  const { name } = nameOf(o, "forked");
  const outs = Array.from({ length: count }, (_, i) => stream(from.shape, { name: `${name}_${i}` }));
  for (const out of outs) assignView(out.payload, from.payload, "payload");
  if (kind === "lazy") {
    outs.forEach((out, i) => {
      out.valid.set(
        outs
          .filter((_, k) => k !== i)
          .map<Bit>(x => x.ready)
          .reduce((a, b) => a.and(b), from.valid),
      );
    });
    from.ready.set(outs.map<Bit>(x => x.ready).reduce((a, b) => a.and(b)));
    return outs;
  }
  const done = outs.map((_, i) => reg(bit, { init: 0, name: `${name}_${i}_done` }));
  const settled = outs.map((out, i) => (done[i] as Bit).or(out.ready));
  const all = settled.reduce<Bit>((a, b) => a.and(b), constant(1, 1));
  outs.forEach((out, i) => {
    const d = done[i] as NonNullable<(typeof done)[number]>;
    out.valid.set(from.valid.and(d.not()));
    d.set(from.valid.and(all.not()).and(settled[i] as Bit));
  });
  from.ready.set(all);
  return outs;
}
