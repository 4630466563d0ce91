/** Checksums after an address and a port have changed (RFC 1624, equation 3). */
import { constant, node, priority, type UInt } from "../../../../hdl-dsl/index.ts";

/** A sum of 16-bit words whose carries are not yet added below. */
const sumBits = 20;
const wide = (v: UInt): UInt => v.resize(sumBits);

/** What a change adds to a ones' complement sum: the complement of what was, and what is. */
export const changeOf = (before: readonly UInt[], after: readonly UInt[]): UInt =>
  [...before.map(b => b.not()), ...after].map(wide).reduce((a, b) => a.add(b));
/** The complement of a checksum and changes to it, with most carries added below: 17 bits. */
export function foldOnce(checksum: UInt, ...changes: readonly UInt[]): UInt {
  const sum = changes.reduce((a, b) => a.add(b), wide(checksum.not()));
  return sum.trunc(16).zext(17).add(sum.shr(16).resize(17));
}
/** The checksum, of what `foldOnce` gave. */
export const foldTwice = (folded: UInt): UInt => folded.trunc(16).add(folded.bit(16).zext(16)).not();
/** That of TCP or UDP: UDP's 0 means that there is none, and one that comes to 0 is sent as 0xFFFF (RFC 768). */
export function transportChecksum(folded: UInt, before: UInt, udp: UInt<1>): UInt {
  const now = node(foldTwice(folded), { name: "transport_sum" });
  return priority([udp.andNot(before.any()), before], [udp.andNot(now.any()), constant(0xffff, 16)], now);
}
