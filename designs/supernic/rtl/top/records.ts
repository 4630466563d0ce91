/** Parameters of the whole device, and what software has set of it. */
import { bit, struct, uint, vec } from "../../../../hdl-dsl/index.ts";
import type { DeviceSizes } from "../inside/index.ts";
import { inlets, userClasses } from "../inside/index.ts";
import { keptBits } from "../link/index.ts";
import type { MemoryParameters } from "../memory/index.ts";
import { portBits } from "../match/index.ts";
import type { QueueParameters } from "../port/index.ts";
import type { RingSizes } from "../spill/index.ts";

/** Bits of a number of frames in the class queues of a port: as many as beats at most. */
export const queuedBits = 14;

export interface DeviceParameters extends DeviceSizes, QueueParameters {
  /** Bytes that a port keeps for the wire. */
  readonly linkBytes: number;
  /** Cycles for which a class may be paused at a port until its packets are dropped. */
  readonly pauseCycles: number;
  /** Cycles for which frames wait for software. */
  readonly softwareCycles: number;
  /** Cycles in which a region is reprogrammed; 5 ms, where this is left out. */
  readonly reprogramCycles?: number;
  /** The board's memory, with a way for each task that declares it; left out where none does. */
  readonly memory?: MemoryParameters;
  /** Rings for frames of DAGs that wait; left out where there are none: then these wait in their class queues. */
  readonly spill?: RingSizes;
}

/** Frames that a block has: in the class queues or the lane, and kept for the wire. */
export const Inside = struct({ queued: uint(queuedBits), kept: uint(keptBits) });

/** What stands in plain registers. */
export const DeviceSet = (p: Pick<DeviceSizes, "ports" | "rules" | "macs">) =>
  struct({
    mac: uint(48),
    origin: uint(8),
    hasUplink: bit,
    uplink: uint(portBits),
    rings: uint(p.ports),
    urgent: uint(userClasses),
    reliable: uint(p.ports),
    peers: uint(p.ports),
    control: uint(p.ports),
    classes: vec(uint(3), inlets(p)),
    rules: vec(uint(p.rules), inlets(p)),
    macs: uint(p.macs),
    restart: uint(p.ports),
  });
