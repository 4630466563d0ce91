/** The IPv4 header of frames of our own: what is the same in each of them, and its checksum. Wires only. */
import { cat, constant, node, type UInt } from "../../../hdl-dsl/index.ts";
import { encode, ipProtocol, ipv4Header } from "../wire/index.ts";

/** Fields of an IPv4 header that are the same in every reply of ours. */
export const ipv4Constants = {
  version: 4,
  ihl: 5,
  tos: 0,
  identification: 0,
  reservedFlag: 0,
  dontFragment: 1,
  moreFragments: 0,
  fragmentOffset: 0,
  ttl: 64,
  protocol: ipProtocol.udp,
  checksum: 0,
} as const;
/** Sum of their 16-bit words. */
export const ipv4ConstantSum = (() => {
  const bytes = encode(ipv4Header, ipv4Constants);
  let sum = 0;
  for (let i = 0; i < bytes.length; i += 2) sum += (bytes[i] as number) * 256 + (bytes[i + 1] as number);
  return sum;
})();

/**
 * The IPv4 checksum from a plan's `sum`: its carries added to its low word, and the carry of that again. The origin of
 * that second carry is derived from the operands, so that one adder is enough.
 */
export function ipv4Checksum(sum: UInt): UInt<16> {
  const low = sum.bits(0, 16),
    carries = sum.bits(16, 4);
  const wraps = node(low.bits(4, 12).all().and(low.bits(0, 4).gt(carries.not())));
  const folded = node(cat(low, constant(1, 1)).add(cat(carries.zext(16), wraps)));
  return folded.bits(1, 16).not();
}

/**
 * 16-bit ones' complement sum of a checksum's complement and `more`, complemented: the checksum when the data grew by
 * `more` (RFC 1624).
 */
export function changedChecksum(checksum: UInt, more: number): UInt<16> {
  const sum = node(
    checksum
      .not()
      .zext(17)
      .add(((more % 0xffff) + 0xffff) % 0xffff),
  );
  return sum.bits(0, 16).add(sum.bit(16).zext(16)).not().is(16);
}
