/** What tasks ask of an IPv4 header at byte 14. Wires only. */
import { type Bit, node, type UInt, type Val } from "../../../../hdl-dsl/index.ts";
import { cutFields } from "../../../shared/frame/index.ts";
import { ethernetHeader, headerOffsets, ipv4Header } from "../../../shared/wire/index.ts";
import { headerBytesFrom, snicEtherType } from "../../wire/index.ts";
import type { TaskPacket } from "./interface.ts";

/** Bytes that `ipOf` reads: EtherType and IPv4 header. */
export const ipBytes = headerBytesFrom(12, 22);
/** Bytes up to the end of an IPv4 header without options. */
const ipEnd = 34;

/** The IPv4 header, and whether there is one: whole, and without options. */
export function ipOf({ header, headBytes }: Val<typeof TaskPacket>) {
  const { etherType } = cutFields(ethernetHeader, header),
    ip = cutFields(ipv4Header, header, headerOffsets.network);
  const plain: Bit = etherType.eq(snicEtherType.ipv4).and(ip.version.eq(4)).and(ip.ihl.eq(5)).and(headBytes.ge(ipEnd));
  return { ...ip, hasIp: node(plain, { name: "has_ip" }) };
}
/** 16 bits in network order at byte `at`. */
export const wordAt = (header: UInt, at: number): UInt<16> => swapped(header.bits(8 * at, 16));
/** The bytes of 16 bits in the other order. */
export const swapped = (word: UInt): UInt<16> => word.bits(0, 8).zext(16).shl(8).or(word.bits(8, 8).zext(16)).is(16);
