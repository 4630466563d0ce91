import {
  AsyncFifo,
  bit,
  clockDomain,
  connect,
  inDomain,
  input,
  instance,
  module,
  output,
  PacketFifo,
  sink,
  source,
} from "../../../hdl-dsl/index.ts";
import { AxisBeat } from "./beats.ts";
import { FrameGuard, LinkBeat } from "./frame-guard.ts";

export interface MacCrossingParameters {
  readonly beatBytes: number;
  /** Beats of a frame that can be sent, at most: that many are kept until the frame is whole. */
  readonly longest: number;
}
/** Elements of the crossings: round trips of both clocks. On the way in: a largest frame and the next one's first. */
const depths = { receive: 64, send: 16 } as const;

/**
 * Frames between a design's clock, `node`, and its MAC's, `mac`. `from_mac` cannot wait (a MAC's output has no ready):
 * a frame for which there is no room is cut and marked bad, and `lost` pulses in the MAC's domain. `to_mac` gives a
 * frame only when all of it is there: a MAC's input must not run dry within a frame. A frame longer than `longest`
 * beats cannot be sent. Latency: 3 to 4 cycles for each crossing, 1 for the guard, a whole frame on the way out;
 * initiation interval 1. Reset: empty; both domains are held together.
 */
export const MacCrossing = module(
  "MacCrossing",
  (p: MacCrossingParameters) => {
    const at = { node: { domain: "node" }, mac: { domain: "mac" } } as const;
    return {
      fromMac: input(LinkBeat(p.beatBytes), at.mac),
      lost: output(bit, at.mac),
      toMac: source(AxisBeat(p.beatBytes), at.mac),
      received: source(AxisBeat(p.beatBytes), at.node),
      send: sink(AxisBeat(p.beatBytes), at.node),
    };
  },
  (io, p) => {
    const node = clockDomain("node"),
      mac = clockDomain("mac"),
      shape = AxisBeat(p.beatBytes);
    const guard = inDomain(mac, () => instance(FrameGuard({ beatBytes: p.beatBytes })));
    guard.from.set(io.fromMac);
    io.lost.set(guard.lost);
    const receive = instance("receive", AsyncFifo({ shape, depth: depths.receive }), {
      domains: { push: mac, pop: node },
    });
    connect(guard.to, receive.push);
    connect(receive.pop, io.received);
    const send = instance("send", AsyncFifo({ shape, depth: depths.send }), { domains: { push: node, pop: mac } }),
      whole = inDomain(mac, () =>
        instance("whole", PacketFifo({ shape, depth: p.longest, last: "last", style: "block" })),
      );
    connect(io.send, send.push);
    connect(send.pop, whole.push);
    connect(whole.pop, io.toMac);
  },
);
