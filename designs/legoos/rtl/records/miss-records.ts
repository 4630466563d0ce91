/** What software writes, and what the ExCache tells it. */
import { bit, enumOf, struct, uint } from "../../../../hdl-dsl/index.ts";
import { asidBits, derived, type Parameters, regionShift, vaBits } from "../../config/index.ts";
import { Line, statusWidth } from "./records.ts";

const macBits = 48,
  ipBits = 32,
  portBits = 16;
/** Bits of a region's number. */
export const regionBits = vaBits - regionShift;

/** One end of a conversation. */
export const Peer = struct({ mac: uint(macBits), ip: uint(ipBits), port: uint(portBits) });

/** Who the ExCache is on the network, and the first of its requests' numbers: newer than all of its former life. */
export const Own = struct({ mac: uint(macBits), ip: uint(ipBits), port: uint(portBits), firstId: uint(32) });

/** An entry of the map of regions: the owner, and a second node that has a copy of all that is flushed. */
export const RegionWrite = (p: Parameters) =>
  struct({
    index: uint(Math.log2(p.regions)),
    keep: bit,
    asid: uint(asidBits),
    region: uint(regionBits),
    node: uint(derived(p).nodeBits),
    replicated: bit,
    secondary: uint(derived(p).nodeBits),
  });
export const NodeWrite = (p: Parameters) => struct({ index: uint(derived(p).nodeBits), peer: Peer });

/**
 * Memory of a process from line `first` to `last`, as the process monitor records it (LegoOS §3.4.4). Of `anonymous`
 * memory line `first` has bit `base` among those that tell what has been flushed.
 */
export const RangeWrite = (p: Parameters) =>
  struct({
    index: uint(Math.max(1, Math.log2(p.ranges))),
    keep: bit,
    asid: uint(asidBits),
    first: uint(derived(p).pageBits),
    last: uint(derived(p).pageBits),
    writable: bit,
    anonymous: bit,
    base: uint(Math.log2(p.localLines)),
  });

/**
 * What software has to know: a region without an owner; a dirty line that its node refused (`status`); a dirty line
 * that the line memory did not give back, which is lost.
 */
export const EventKind = enumOf("EventKind", ["unknownRegion", "flushRefused", "lineLost"]);
export const Event = (p: Parameters) => struct({ kind: EventKind, line: Line(p), status: uint(statusWidth) });

/** Where a region is. */
export const Route = (p: Parameters) =>
  struct({
    known: bit,
    node: uint(derived(p).nodeBits),
    replicated: bit,
    secondary: uint(derived(p).nodeBits),
  });
