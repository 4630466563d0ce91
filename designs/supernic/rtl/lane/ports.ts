/** What goes into the switch lane and comes out. Page: docs/supernic/lane.md. */
import {
  bit,
  input,
  output,
  portArray,
  sink,
  source,
  struct,
  mergePorts as together,
  uint,
  vec,
} from "../../../../hdl-dsl/index.ts";
import { AxisBeat } from "../../../shared/frame/index.ts";
import {
  beatBytes,
  classBits,
  type DeviceSizes,
  FrameBeat,
  inlets,
  type PeerClasses,
  QueueHeads,
  TxBeat,
} from "../inside/index.ts";
import { portBits } from "../match/index.ts";

export interface LaneParameters extends Pick<DeviceSizes, "ports" | "frameBytes">, PeerClasses {
  /** Cycles for which a frame waits for software to take those before it. */
  readonly softwareCycles: number;
}
export const peers = 16;
/** Bytes that stand in front of a frame to a peer; tag and shim are put back besides. */
export const redirectBytes = 22;
export const laneGrowth = redirectBytes + 4 + 8;
/** Beats of the longest frame that leaves. */
export const laneFrameBeats = (p: Pick<DeviceSizes, "frameBytes">): number =>
  Math.ceil((p.frameBytes + laneGrowth) / beatBytes);
/** Frames under way in the lane, at most. */
export const laneFrames = 6;
/** Bits of a number of frames in the lane, and of the copies of one. */
export const laneCountBits = 4,
  copyBits = 4;
/** Beats of the buffers to and from software: one frame fits. */
export const softwareBeats = (p: Pick<DeviceSizes, "frameBytes">): number =>
  2 ** Math.ceil(Math.log2(laneFrameBeats(p) + 1));

/** What stands still while frames go through. */
export const LaneConfig = (p: Pick<DeviceSizes, "ports">) =>
  struct({
    /** The sNIC's own MAC, and its number for shims. */
    mac: uint(48),
    origin: uint(8),
    /** Ports that lead to peers, a bit each. */
    rings: uint(p.ports),
    /** `far`: it is behind another peer. */
    peers: vec(struct({ mac: uint(48), port: uint(portBits), far: bit }), peers),
  });
/** A beat of a frame that software sends; `ports` counts on the first. */
export const FromSoftware = (p: Pick<DeviceSizes, "ports">) =>
  struct({ ...AxisBeat(beatBytes).fields, ports: uint(p.ports) });
/** A beat of a frame for software, and what is known of it: the same on all its beats. */
export const ToSoftware = struct({
  ...AxisBeat(beatBytes).fields,
  ingress: uint(portBits),
  shimmed: bit,
  uid: uint(16),
});
/** Each for a cycle. */
export const LaneEvents = struct({
  /** A frame has left, to one or more ports. */
  left: bit,
  /** A frame for software has left. */
  toSoftware: bit,
  /** Software has not taken: a frame for it was dropped. */
  notTaken: bit,
  /** A frame has no port: it was dropped. */
  nowhere: bit,
  /** A frame of software was too long, or marked bad: it was dropped. */
  badSoftware: bit,
  /** Software has given a frame. */
  own: bit,
  /** Copies of a frame that leaves by several ports, beside the first. */
  copies: uint(copyBits),
});

export const lanePorts = (p: LaneParameters) =>
  together(
    { heads: input(vec(QueueHeads(p), inlets(p))) },
    portArray("take", inlets(p), source(uint(classBits))),
    portArray("frames", inlets(p), sink(FrameBeat)),
    {
      fromSoftware: sink(FromSoftware(p)),
      toSoftware: source(ToSoftware),
      config: input(LaneConfig(p)),
      /** By port, the loop port last: frames may be chosen for it. Those that have not begun must fit one longest. */
      room: input(uint(inlets(p))),
      /** By port, classes that are paused. */
      paused: input(vec(uint(8), p.ports)),
      /** Frames in the lane: those that were chosen and are not out. */
      held: output(uint(laneCountBits)),
      events: output(LaneEvents),
    },
    portArray("out", inlets(p), source(TxBeat)),
  );
