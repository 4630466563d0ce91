/** Register stages of a stream: each cuts a timing path, none costs throughput. */
import { bit, type Shape } from "../types/shape.ts";
import type { Bit, StreamIn, UInt } from "../types/value.ts";
import { reg } from "../build/declare.ts";
import { mux, when } from "../build/statements.ts";
import { assignView } from "../build/view.ts";
import { nameOf, stream } from "./stream.ts";

export type StageKind = "forward" | "backward" | "full";

/**
 * `forward` registers valid and payload (latency 1; ready passes through combinationally). `backward` registers ready (a skid register, latency 0).
 * `full` registers both (latency 1). Initiation interval 1 in all three.
 */
export function stage<S extends Shape>(from: StreamIn<S>, kind: StageKind = "full", o: { readonly name?: string } = {}): StreamIn<S> {
  const { name } = nameOf(o, "staged");
  switch (kind) {
    case "forward": return forward(from, name);
    case "backward": return backward(from, name);
    case "full": return forward(backward(from, `${name}_skid`), name);
  }
}

function forward<S extends Shape>(from: StreamIn<S>, name: string): StreamIn<S> {
  const out = stream(from.shape, { name });
  const full = reg(bit, { init: 0, name: `${name}_full` });
  const held = reg(from.shape, { name: `${name}_held` });
  const room = full.not().or(out.ready);
  from.ready.set(room);
  when(room, () => { full.set(from.valid); });
  when(from.valid.and(room), () => { assignView(held, from.payload, "held"); });
  out.valid.set(full);
  assignView(out.payload, held, "payload");
  return out as unknown as StreamIn<S>;
}

function backward<S extends Shape>(from: StreamIn<S>, name: string): StreamIn<S> {
  const out = stream(from.shape, { name });
  const full = reg(bit, { init: 0, name: `${name}_full` });
  const held = reg(from.shape, { name: `${name}_held` });
  from.ready.set(full.not());
  // What arrives while the output stalls is kept; it goes out first.
  when(out.ready, () => { full.set(0); })
    .elseWhen(from.valid.and(full.not()), () => { full.set(1); assignView(held, from.payload, "held"); });
  out.valid.set(from.valid.or(full as UInt<1>));
  assignView(out.payload, mux(full as Bit, held, from.payload as never), "payload");
  return out as unknown as StreamIn<S>;
}
