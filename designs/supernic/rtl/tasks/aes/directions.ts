/** What differs between encryption and decryption: where things stand in a frame, and what is declared. */
import { cat, constant, type UInt, type Val } from "../../../../../hdl-dsl/index.ts";
import { cutFields } from "../../../../shared/frame/index.ts";
import { headerOffsets, ipProtocol, udpHeader } from "../../../../shared/wire/index.ts";
import {
  aesBlockBytes,
  aesDrops,
  aesFrom,
  aesFrontBytes,
  aesNonceBytes,
  type Declared,
  headerBytesFrom,
  snicEtherType,
  taskHeaderBytes,
  tunnelPort,
} from "../../../wire/index.ts";
import { headerBits, type TaskPacket } from "../interface.ts";
import { ipBytes, ipOf, wordAt } from "../ip.ts";
import { turned } from "./nonces.ts";

const etherTypeAt = 12,
  ipEnd = 34;
/** Where the nonce stands: behind encryption and in front of decryption. */
export const nonceAt = { encrypt: aesDrops.encrypt, decrypt: aesFrontBytes } as const;
/** Where what is encrypted begins. */
export const bodyAt = { encrypt: aesFrom, decrypt: aesFrontBytes + aesNonceBytes } as const;
/** How far what is encrypted stands from its place in the frame that was encrypted, in blocks. */
export const shiftBlocks = { encrypt: 0, decrypt: aesDrops.decrypt / aesBlockBytes } as const;
export type Direction = keyof typeof shiftBlocks;

/** Packets that a task has inside. */
export const holds = 32;
/** Cycles until a key that was written is live, and one to write it. */
const prepares = 64;
const bytesFrom = (at: number): bigint => headerBytesFrom(at, taskHeaderBytes - at),
  common = { payload: "write", interval: 1, latency: 18, prepares, holds } as const;
export const declared: Readonly<Record<Direction, Declared>> = {
  encrypt: {
    ...common,
    name: "encrypt",
    reads: bytesFrom(etherTypeAt),
    writes: bytesFrom(aesDrops.encrypt),
    growth: taskHeaderBytes,
    leavesOut: aesDrops.encrypt,
    // A number that moved could be restored twice, and with it a nonce: each place has launches of its own.
    ...{ state: "shared", keeps: "cold" },
  },
  decrypt: {
    ...common,
    name: "decrypt",
    reads: ipBytes | bytesFrom(ipEnd),
    writes: bytesFrom(aesDrops.decrypt),
    growth: 0,
    leavesOut: aesDrops.decrypt,
    state: "none",
  },
};

/** Whether a packet can be what this direction takes; of one that is decrypted, that its key has this number. */
export function fits(direction: Direction, packet: Val<typeof TaskPacket>, number: UInt) {
  if (direction === "encrypt") return wordAt(packet.header, etherTypeAt).eq(snicEtherType.ipv4);
  const ip = ipOf(packet),
    udp = cutFields(udpHeader, packet.header, headerOffsets.transport);
  return ip.hasIp
    .andNot(packet.noL4)
    .and(ip.protocol.eq(ipProtocol.udp))
    .and(udp.dstPort.eq(tunnelPort))
    .and(packet.headBytes.eq(taskHeaderBytes))
    .and(turned(packet.header.bits(8 * nonceAt.decrypt, 32)).eq(number));
}
/** Bytes of a header from `at` on. */
export const from = (value: UInt, at: number): UInt => value.zext(headerBits).shl(8 * at);
/** The Ethernet header of what is decrypted: IPv4 behind its MACs. */
export const macsOf = ({ destination, source }: { readonly destination: UInt; readonly source: UInt }): UInt =>
  cat(turned(constant(snicEtherType.ipv4, 16)), turned(source), turned(destination));
