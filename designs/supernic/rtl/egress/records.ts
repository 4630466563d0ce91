/** What the egress's parts hand on. */
import { type Bit, bit, fromBits, mux, struct, uint, type UInt } from "../../../../hdl-dsl/index.ts";
import {
  beatBytes,
  cellBeats,
  cellIndexBits,
  ctxBits,
  type DeviceSizes,
  inlets,
  lengthBits,
  payloadCellBits,
  sizeBits,
  type Sizes,
  userBits,
  userClasses,
} from "../inside/index.ts";
import { portBits } from "../match/index.ts";
import { type EgressParameters, longestBeats, payloadBeatBits, puttersOf } from "./ports.ts";

/** Beats that a frame may have beside those of its payload: header, template, tag and shim, and a trailer. */
export const besidesPayload = 3;
/** Sizes of frames that leave. */
export const egressSizes = (p: Pick<EgressParameters, "frameBytes" | "trailers">): Sizes => {
  const longest = longestBeats(p);
  return { beats: [3, Math.min(6, longest), Math.min(12, longest)], longest };
};
/** The size of a frame with so much payload. */
export const sizeOfPayload = (p: Pick<EgressParameters, "frameBytes" | "trailers">, bytes: UInt): UInt => {
  const [small, some, more] = egressSizes(p).beats.map(n => bytes.gt((n - besidesPayload) * beatBytes)) as [
    Bit,
    Bit,
    Bit,
  ];
  return fromBits([mux(some, more, small), some]).is(sizeBits);
};

/** Which of the tasks that put a trailer behind has put this one's. */
const trailing = (p: Pick<EgressParameters, "trailers">) => ({ trails: uint(puttersOf(p)) });
/** What the deparser has to know of a packet that waits. */
export const Waiting = (p: Pick<EgressParameters, "cells" | "trailers">) =>
  struct({
    ...(puttersOf(p) > 0 ? trailing(p) : ({} as ReturnType<typeof trailing>)),
    uid: uint(16),
    ingress: uint(portBits),
    firstCell: uint(cellIndexBits(p)),
    payloadBytes: uint(lengthBits),
    /** There is a payload, and a template. */
    hasBody: bit,
    hasFront: bit,
    headBytes: uint(7),
    prepend: uint(8),
    dropFront: uint(7),
    tagged: bit,
    tag: uint(16),
    keepShim: bit,
    shimmed: bit,
    ttl: uint(4),
  });
/** What it holds of the device, and whose it is. */
export const Holds = (p: Pick<DeviceSizes, "cells" | "frameBytes">) =>
  struct({ user: uint(userBits), firstCell: uint(cellIndexBits(p)), beats: uint(payloadBeatBits(p)) });

export const beatsOf = (bytes: UInt, bits: number): UInt =>
  bytes
    .add(beatBytes - 1)
    .shr(Math.log2(beatBytes))
    .resize(bits);
export const cellsOfBeats = (p: Pick<DeviceSizes, "frameBytes">, beats: UInt): UInt => {
  const wide = beats.width + 1;
  return beats
    .zext(wide)
    .add(cellBeats - 1)
    .shr(Math.log2(cellBeats))
    .resize(payloadCellBits(p));
};

/** A list: of which port, and of which class. One bit each. */
export const ListOf = (p: Pick<DeviceSizes, "ports">) => struct({ port: uint(inlets(p)), class: uint(userClasses) });
/** Where a frame goes, and its size. */
export const Going = (p: Pick<DeviceSizes, "ports">) => struct({ list: ListOf(p), size: uint(sizeBits) });
export const goingBits = (p: Pick<DeviceSizes, "ports">): number => inlets(p) + userClasses + sizeBits;
/** A packet of a list that has been chosen. */
export const Picked = (p: Pick<DeviceSizes, "ports" | "contexts">) =>
  struct({ ctx: uint(ctxBits(p)), list: ListOf(p), size: uint(sizeBits), dropped: bit });
