/** Rings for frames of DAGs that wait: what is outside of them, and their place before the merge. */
import {
  connect,
  instance,
  liteAddress,
  LiteRead,
  LiteResponse,
  LiteWrite,
  portOf,
  sink,
  source,
} from "../../../../hdl-dsl/index.ts";
import { spillAddressBits } from "../../registers/index.ts";
import { type DeviceSizes, inlets } from "../inside/index.ts";
import { type RingSizes, type SpillParameters, SpillWithControl } from "../spill/index.ts";
import type { Io, Ways } from "./ports.ts";
import type { Stores } from "./stores.ts";

/** Of a device with rings. */
export const spillSizes = (
  p: Pick<DeviceSizes, "ports" | "frameBytes" | "users">,
  rings: RingSizes,
): SpillParameters => ({ ports: p.ports, frameBytes: p.frameBytes, users: p.users, ...rings });

/** Their registers. */
export const spillDevicePorts = () => ({
  ringsAw: sink(liteAddress(spillAddressBits)),
  ringsW: sink(LiteWrite),
  ringsB: source(LiteResponse),
  ringsAr: sink(liteAddress(spillAddressBits)),
  ringsR: source(LiteRead),
});

/** The way from the class queues to the merge, with rings beside it. @returns the rings, without a bus yet */
export function spillOf(io: Io, p: SpillParameters, { rx, loop }: Ways, { merge }: Pick<Stores, "merge">) {
  const spill = instance("spill", SpillWithControl(p)),
    n = inlets(p);
  for (let i = 0; i < n; i++) {
    const inlet = rx[i] ?? loop;
    connect(portOf(merge, "take", i), portOf(spill, "take", i));
    connect(portOf(spill, "frames", i), portOf(merge, "frames", i));
    connect(portOf(spill, "takeQueue", i), inlet.takeMerge);
    connect(inlet.toMerge, portOf(spill, "fromQueue", i));
  }
  spill.dry.set(merge.dry);
  connect(io.ringsAw, spill.sAw);
  connect(io.ringsW, spill.sW);
  connect(spill.sB, io.ringsB);
  connect(io.ringsAr, spill.sAr);
  connect(spill.sR, io.ringsR);
  return spill;
}
export type SpillBlock = ReturnType<typeof spillOf>;
