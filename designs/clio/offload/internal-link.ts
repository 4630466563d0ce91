import {
  assignView,
  bit,
  bitsFor,
  mux,
  node,
  reg,
  scope,
  stream,
  type StreamIn,
  uint,
  when,
} from "../../../hdl-dsl/index.ts";
import { AxisBeat } from "../../shared/frame/index.ts";
import { markGroupSender, toOffload } from "./addresses.ts";

type Frames = ReturnType<typeof AxisBeat>;

/** Cycles that an internal frame lets the network's frames go first. */
export const patience = 256;

/**
 * Frames from the network and from inside onto one stream, whole. The network goes first; an internal frame that has
 * waited for `patience` cycles goes next. So a network at line rate slows offloads down but does not starve them.
 * Offloads take at most one frame in `patience` cycles from a network that needs every beat. With nothing from inside
 * the network's frames pass as they are. Latency 0, initiation interval 1. A frame from outside whose sender has the
 * group bit is marked, and the node drops it: no outside frame can pass for an offload's (addresses.ts).
 */
export function mergeInternal(
  network: StreamIn<Frames>,
  internal: StreamIn<Frames>,
  beatBytes: number,
): StreamIn<Frames> {
  return scope("merge", () => {
    const out = stream(AxisBeat(beatBytes), { name: "rx" });
    const locked = reg(bit, { init: 0, name: "locked" });
    const owner = reg(bit, { name: "owner" });
    const waited = reg(uint(bitsFor(patience)), { init: 0, name: "waited" });
    const picks = node(internal.valid.and(network.valid.not().or(waited.eq(patience))), { name: "picks" });
    const inside = node(mux(locked, owner, picks), { name: "inside" });
    const first = reg(bit, { init: 1, name: "first" });
    const from = network.payload;
    out.valid.set(mux(inside, internal.valid, network.valid));
    assignView(out.payload, mux(inside, internal.payload, { ...from, data: markGroupSender(from.data, first) }), "rx");
    network.ready.set(out.ready.and(inside.not()));
    internal.ready.set(out.ready.and(inside));
    when(network.fire, () => first.set(from.last));
    when(out.valid, () => {
      owner.set(inside);
      locked.set(out.ready.and(out.payload.last).not());
    });
    when(inside.or(internal.valid.not()), () => waited.set(0)).elseWhen(waited.ne(patience), () =>
      waited.set(waited.add(1)),
    );
    return out;
  });
}

/** The node's frames parted: to the network, and to offloads. Latency 0, initiation interval 1. */
export function splitInternal(
  frames: StreamIn<Frames>,
  beatBytes: number,
): { readonly network: StreamIn<Frames>; readonly internal: StreamIn<Frames> } {
  return scope("split", () => {
    const network = stream(AxisBeat(beatBytes), { name: "network" }),
      internal = stream(AxisBeat(beatBytes), { name: "internal" });
    const first = reg(bit, { init: 1, name: "first" }),
      owner = reg(bit, { name: "owner" });
    const inside = node(mux(first, toOffload(frames.payload.data), owner), { name: "inside" });
    network.valid.set(frames.valid.and(inside.not()));
    internal.valid.set(frames.valid.and(inside));
    for (const s of [network, internal]) assignView(s.payload, frames.payload, "frames");
    frames.ready.set(mux(inside, internal.ready, network.ready));
    when(frames.fire, () => {
      first.set(frames.payload.last);
      owner.set(inside);
    });
    return { network: network, internal: internal };
  });
}
