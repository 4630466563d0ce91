/**
 * Identity of offloads on the node's own side of the network: clients with addresses that no frame from
 * outside can have.
 */
import { type Bit, cat, node, reg, uint, type UInt, type Val } from "../../../hdl-dsl/index.ts";
import { etherType, ipv4Header, udpHeader } from "../../shared/wire/index.ts";
import { frameOffsets, internalPrefix, internalPrefixBits } from "../wire/index.ts";
import { ipv4Constants, ipv4ConstantSum, joinFields } from "../../shared/frame/index.ts";
import type { NetConfig } from "../rtl/index.ts";

export { internalPrefix, internalPrefixBits };
/** Slot 0's IPv4 address, 127.67.1.0, the others' behind it: loopback addresses are never on a wire. */
export const internalIp = 0x7f43_0100;
/** Its UDP port. */
export const internalPort = 0x4301;

/**
 * The byte of the destination MAC with the slot's number (below) and epoch (the highest 4 bits), and the byte of the
 * sender's with the group bit.
 */
export const slotByte = 5,
  groupByte = 6;

const ipBefore = ipv4Header.bytes + udpHeader.bytes;
/** Bytes of the IPv4 packet in front of the Clio header. */
export const ipOverhead = ipBefore;

/** Ones' complement sum of 16-bit words, folded once: at most a carry is left. */
const fold = (sum: UInt): UInt<17> =>
  sum
    .bits(0, 16)
    .zext(17)
    .add(sum.bits(16, sum.width - 16).zext(17))
    .is(17);

export interface IpFields {
  readonly src: UInt;
  readonly dst: UInt;
  readonly totalLength: UInt;
}
/**
 * The first of two steps to an IPv4 header: the sum of its words, folded once. The sum of the address that comes from a
 * register (`config.ip`) is made there. Wires, and one register for `config.ip`.
 */
export function ipSum(config: Val<typeof NetConfig>, other: UInt, totalLength: UInt): UInt<17> {
  const own = reg(uint(20), { name: "own_ip_sum" });
  own.set(config.ip.bits(0, 16).zext(20).add(config.ip.bits(16, 16).zext(20)).add(ipv4ConstantSum));
  return fold(node(own.add(other.bits(0, 16).zext(20)).add(other.bits(16, 16).zext(20)).add(totalLength.zext(20))));
}
/** The second step: the header with its checksum, byte 0 lowest. */
export function ipHeader(f: IpFields, sum: UInt<17>): UInt {
  const low = sum.bits(0, 16),
    checksum = node(low.add(sum.bit(16).zext(16)).not());
  return joinFields(ipv4Header, { ...ipv4Constants, checksum, totalLength: f.totalLength, src: f.src, dst: f.dst });
}

/**
 * The first beat of a frame from outside, so that its sender cannot be an offload (`internalPrefix`): with the group
 * bit the first byte's highest bit is set, too. The node drops such a frame (../rtl/network/net-rx.ts).
 */
export function markGroupSender(data: UInt, first: Bit): UInt {
  const at = groupByte * 8,
    top = at + 7;
  const marked = data.bit(top).or(first.and(data.bit(at)));
  return top === data.width - 1
    ? cat(marked, data.bits(0, top))
    : cat(data.bits(top + 1, data.width - top - 1), marked, data.bits(0, top));
}
/** Whether a frame's first beat is on its way to an offload. */
export function toOffload(data: UInt): Bit {
  const bytes = Array.from({ length: internalPrefixBits / 8 }, (_, i) => data.bits(8 * i, 8));
  const wanted = bytes.map((_, i) => Number((internalPrefix >> BigInt(internalPrefixBits - 8 * (i + 1))) & 255n));
  return node(bytes.map((b, i) => b.eq(wanted[i] as number)).reduce((x, y) => x.and(y)));
}

export const ethernetType = etherType.ipv4,
  clioAt = frameOffsets.clio;
