/** What the switch lane's parts hand on. */
import { type Bit, bit, bitsFor, fromBits, mux, struct, uint, type UInt } from "../../../../hdl-dsl/index.ts";
import { beatBytes, classBits, type DeviceSizes, inlets, sizeBits, type Sizes } from "../inside/index.ts";
import { portBits } from "../match/index.ts";
import { laneFrameBeats, laneGrowth } from "./ports.ts";

type Ports = Pick<DeviceSizes, "ports">;

/** Where the beats of a frame come from: an inlet, or behind them software. One bit. */
export const Source = (p: Ports) => uint(inlets(p) + 1);
/** A frame whose beats are to be taken. */
export const Coming = (p: Ports) =>
  struct({
    /** The number of its inlet; of software's frames the number of inlets. */
    from: uint(bitsFor(inlets(p))),
    /** Bytes of its last beat. */
    lastBytes: uint(7),
  });
/** What is done to a frame, and where it goes. */
export const Bound = (p: Ports) =>
  struct({
    redirect: bit,
    unwrap: bit,
    /** Ports, the loop port last, and behind it software. None: it is dropped. */
    to: uint(inlets(p) + 1),
    class: uint(classBits),
    mac: uint(48),
    /** Of a redirect: the peer is behind another one. */
    far: bit,
    ingress: uint(portBits),
    shimmed: bit,
    ttl: uint(4),
    uid: uint(16),
    /** It was for software, which had no room for too long. */
    late: bit,
    size: uint(sizeBits),
  });
/** A beat of a frame that software sends: with its number of bytes, and the others 0. */
export const OwnBeat = (p: Ports) =>
  struct({ data: uint(8 * beatBytes), count: uint(7), last: bit, user: bit, ports: uint(p.ports) });

/** Sizes of frames that leave, and of a frame by its bytes without what is put back or in front. */
export const laneSizes = (p: Pick<DeviceSizes, "frameBytes">): Sizes => {
  const longest = laneFrameBeats(p);
  return { beats: [2, Math.min(6, longest), Math.min(12, longest)], longest };
};
export const sizeOfLength = (p: Pick<DeviceSizes, "frameBytes">, bytes: UInt): UInt => {
  const [small, some, more] = laneSizes(p).beats.map(n => bytes.gt(n * beatBytes - laneGrowth)) as [Bit, Bit, Bit];
  return fromBits([mux(some, more, small), some]).is(sizeBits);
};
