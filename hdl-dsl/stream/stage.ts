/** Register stages of a stream: each cuts a timing path, none costs throughput. */
import { bit, type Shape } from "../types/shape.ts";
import type { StreamIn } from "../types/value.ts";
import { node, reg } from "../build/declare.ts";
import { mux, when } from "../build/statements.ts";
import { assignView } from "../build/view.ts";
import { nameOf, stream } from "./stream.ts";

/** What a stage registers: valid and payload, ready, or both. */
export type StageKind = "forward" | "backward" | "full";

/**
 * `forward` registers valid and payload (latency 1; ready passes through combinationally). `backward` registers ready
 * (a skid register, latency 0). `full` registers both (latency 1). Initiation interval 1 in all three.
 * @param o.name of the output; default: that of the constant
 */
export function stage<S extends Shape>(
  from: StreamIn<S>,
  kind: StageKind = "full",
  o: { readonly name?: string } = {},
): StreamIn<S> {
  const { name } = nameOf(o, "staged");
  switch (kind) {
    case "forward":
      return forward(from, name);
    case "backward":
      return backward(from, name);
    case "full":
      return full(from, name);
  }
}

function forward<S extends Shape>(from: StreamIn<S>, name: string): StreamIn<S> {
  const out = stream(from.shape, { name });
  const full = reg(bit, { init: 0, name: `${name}_full` });
  const held = reg(from.shape, { name: `${name}_held` });
  const room = full.not().or(out.ready);
  from.ready.set(room);
  when(room, () => full.set(from.valid));
  when(from.valid.and(room), () => assignView(held, from.payload, "held"));
  out.valid.set(full);
  assignView(out.payload, held, "payload");
  return out;
}

function backward<S extends Shape>(from: StreamIn<S>, name: string): StreamIn<S> {
  const out = stream(from.shape, { name });
  const full = reg(bit, { init: 0, name: `${name}_full` });
  const held = reg(from.shape, { name: `${name}_held` });
  from.ready.set(full.not());
  // A transfer that arrives while the output stalls is kept; it goes out first. Until then whatever stands at the input
  // is held: that costs no decision.
  when(out.ready, () => full.set(0)).elseWhen(from.valid, () => full.set(1));
  when(full.not(), () => assignView(held, from.payload, "held"));
  out.valid.set(from.valid.or(full));
  // Here and below both are of the one shape, which is a parameter: their widths are checked at elaboration.
  assignView(out.payload, mux<unknown, unknown>(full, held, from.payload), "payload");
  return out;
}

/** Both at once. A transfer that arrives while the output stalls waits in a second register. */
function full<S extends Shape>(from: StreamIn<S>, name: string): StreamIn<S> {
  const out = stream(from.shape, { name });
  const valid = reg(bit, { init: 0, name: `${name}_full` });
  const held = reg(from.shape, { name: `${name}_held` });
  const waits = reg(bit, { init: 0, name: `${name}_skid_full` });
  const waiting = reg(from.shape, { name: `${name}_skid_held` });
  const room = node(valid.not().or(out.ready), { name: `${name}_room` });
  from.ready.set(waits.not());
  when(room, () => {
    valid.set(from.valid.or(waits));
    waits.set(0);
  }).elseWhen(from.valid, () => waits.set(1));
  when(waits.not(), () => assignView(waiting, from.payload, "waiting"));
  when(room, () => assignView(held, mux<unknown, unknown>(waits, waiting, from.payload), "held"));
  out.valid.set(valid);
  assignView(out.payload, held, "payload");
  return out;
}
