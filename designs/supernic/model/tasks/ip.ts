/** What the models ask of an IPv4 header at byte 14. */
import { internetChecksum } from "../../../shared/wire/index.ts";
import type { TaskPacketModel } from "./task.ts";

export const ipAt = 14;
export const ipEnd = 34;
/** There is a whole IPv4 header, without options. */
export const hasIp = ({ header, headBytes }: TaskPacketModel): boolean =>
  header[12] === 0x08 && header[13] === 0x00 && header[ipAt] === 0x45 && headBytes >= ipEnd;
/** 16 bits in network order. */
export const wordOf = (header: Uint8Array, at: number): number => ((header[at] ?? 0) << 8) | (header[at + 1] ?? 0);
export const longOf = (header: Uint8Array, at: number): number => wordOf(header, at) * 65_536 + wordOf(header, at + 2);
/** The checksum that the header should have, by the one way there is: all words, its own as 0. */
export function rightChecksum(header: Uint8Array): number {
  const copy = Uint8Array.from(header);
  copy.set([0, 0], ipAt + 10);
  return internetChecksum(copy, ipAt, ipEnd);
}
/** Nothing is left of the sum over a right header (RFC 1071). */
export const checksumHolds = (header: Uint8Array): boolean => internetChecksum(header, ipAt, ipEnd) === 0;
