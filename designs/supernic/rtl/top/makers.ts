/** Frames that tasks make: they go to their port through the switch lane, as those of software do. */
import {
  arbiter,
  connect,
  fromBits,
  map,
  type Outside,
  portOf,
  type StreamIn,
  type StreamOut,
} from "../../../../hdl-dsl/index.ts";
import type { RegionsPorts } from "../core/index.ts";
import { FromSoftware } from "../lane/index.ts";
import type { DeviceParameters } from "./records.ts";

const beatBytes = 64;
type Frames = ReturnType<typeof FromSoftware>;

/**
 * In turns with software, frame by frame. Each has room for a whole frame of its own, so that none waits in mid-frame.
 * A frame whose port there is not is dropped by the lane, and counted.
 */
export function connectMakers(
  software: StreamIn<Frames>,
  inside: Pick<Outside<RegionsPorts>, `make${number}`>,
  makers: number,
  to: StreamOut<Frames>,
  p: Pick<DeviceParameters, "ports">,
): void {
  const made = Array.from({ length: makers }, (_, i) =>
    map(
      portOf(inside, "make", i),
      FromSoftware(p),
      ({ data, count, last, port }) => ({
        data,
        keep: fromBits(Array.from({ length: beatBytes }, (_all, b) => count.gt(b))).is(beatBytes),
        last,
        user: 0,
        ports: fromBits(Array.from({ length: p.ports }, (_all, q) => port.eq(q))).is(p.ports),
      }),
      { name: `made_${i}` },
    ),
  );
  if (makers === 0) connect(software, to);
  else connect(arbiter([software, ...made], { last: v => v.last, name: "to_lane" }), to);
}
