/** XGMII (IEEE 802.3, 46) with 64 bits: eight lanes, each a byte or a control character. */
import { struct, uint } from "../../types/shape.ts";

/** A word of the line; lane 0 is lowest and comes first. `control` has a bit for each lane. */
export const Xgmii = struct({ data: uint(64), control: uint(8) });
/** Control characters. */
export const xgmiiCode = { idle: 0x07, start: 0xfb, terminate: 0xfd, error: 0xfe } as const;
/** The same character in lanes `from` and up, 0 below. */
export const lanesFrom = (from: number, code: number): bigint =>
  Array.from({ length: 8 }, (_, i) => (i < from ? 0n : BigInt(code) << BigInt(8 * i))).reduce((a, b) => a | b, 0n);
/** A word without a frame. */
export const idleWord = { data: lanesFrom(0, xgmiiCode.idle), control: 0xff } as const;
