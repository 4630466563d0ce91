import { type Bit, constant, fromBits, mux, node, reg, uint, type UInt, when } from "../../../../hdl-dsl/index.ts";
import { inlets } from "../inside/index.ts";
import { type EgressParameters, egressRoomBeats, underWayBeats } from "./ports.ts";
import { frameBeatBits } from "./records.ts";

interface Moving {
  /** A frame is chosen for a port, with so many beats at most. */
  readonly begins: Bit;
  readonly port: UInt;
  readonly beats: UInt;
  /** A beat of a frame leaves for a port; `last` its last one. */
  readonly leaves: Bit;
  readonly to: UInt;
  readonly last: Bit;
  /** What was said of this frame's beats when it was chosen. */
  readonly said: UInt;
}

/**
 * By port, whether a frame may be chosen for it: there are few enough beats on their way. A choice shows two cycles
 * later, and so a few frames more may come: `egressRoomBeats` counts them in.
 */
export function underWay(p: EgressParameters, m: Moving): readonly Bit[] {
  const width = Math.ceil(Math.log2(egressRoomBeats(p) + 1)),
    wide = frameBeatBits(p);
  const left = reg(uint(wide), { init: 0, name: "frame_beats_left" }),
    first = reg(uint(1), { init: 1, name: "is_first_beat" });
  const remaining = node(mux(first, m.said, left), { name: "frame_remaining" }),
    less = mux(m.last, remaining, constant(1, wide));
  when(m.leaves, () => {
    first.set(m.last);
    left.set(remaining.sub(1));
  });
  return Array.from({ length: inlets(p) }, (_, q) => {
    const beats = reg(uint(width), { init: 0, name: `under_way_${q}` }),
      few = reg(uint(1), { init: 0, name: `few_under_way_${q}` });
    const more = mux(m.begins.and(m.port.bit(q)), m.beats.zext(width), constant(0, width)),
      fewer = mux(m.leaves.and(m.to.bit(q)), less.zext(width), constant(0, width));
    beats.set(beats.add(more).sub(fewer));
    few.set(beats.le(underWayBeats));
    return few.bit(0);
  });
}
export const portsOf = (bits: readonly Bit[]): UInt => fromBits(bits);
