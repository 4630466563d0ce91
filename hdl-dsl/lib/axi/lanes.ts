/** Byte lanes of an AXI-Stream beat whose `keep` has its ones together, from lane 0 up. */
import type { UInt } from "../../types/value.ts";
import { cat, repeat } from "../../build/value.ts";
import { encodeOnehot } from "../../vectors/index.ts";

/** The number of the highest lane that counts; 0 when none does. */
export function lastLane(keep: UInt): UInt {
  return encodeOnehot(keep.and(keep.shr(1).not()));
}

/** The data with the lanes that do not count at 0. */
export function onlyKept(data: UInt, keep: UInt): UInt {
  return data.and(cat(...Array.from({ length: keep.width }, (_, i) => repeat(keep.bit(i), 8)).reverse()));
}
