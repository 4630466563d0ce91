import { onesAdd, type UInt, type Val } from "../../../../hdl-dsl/index.ts";
import { ethernetHeader, etherType, ipProtocol, ipv4Header, udpHeader } from "../../../shared/wire/index.ts";
import { joinBytes, joinFields } from "../../../shared/frame/index.ts";
import { accessBody, clioHeader } from "../../../clio/wire/index.ts";
import type { Peer } from "../records/miss-records.ts";

/** Bytes of a request's headers, with its body. */
export const requestBytes =
  ethernetHeader.bytes + ipv4Header.bytes + udpHeader.bytes + clioHeader.bytes + accessBody.bytes;

/** What a request's headers say beside the addresses. */
export interface Said {
  readonly pid: UInt;
  readonly tag: UInt;
  readonly opcode: UInt;
  readonly tracked: UInt;
  readonly retry: UInt;
  readonly requestId: UInt;
  readonly retryOf: UInt;
  /** 12 bytes. */
  readonly body: UInt;
  /** Bytes behind it, and so many more. */
  readonly dataBytes: (more: number) => UInt;
}
type End = Val<typeof Peer>;
const clioBytes = clioHeader.bytes + accessBody.bytes,
  totalBytes = clioBytes + udpHeader.bytes + ipv4Header.bytes;

const first = { version: 4, ihl: 5, tos: 0, identification: 0, reservedFlag: 0, dontFragment: 1, moreFragments: 0 };
const rest = { fragmentOffset: 0, ttl: 64, protocol: ipProtocol.udp };
/**
 * The sum of what is always the same in an IPv4 header: version and length, "don't fragment", time to live and
 * protocol.
 */
const constantSum = 0x4500 + 0x4000 + 0x4000 + ipProtocol.udp;

/** The sum of an address's halves. */
export const addressSum = (ip: UInt): UInt => onesAdd(ip.bits(0, 16), ip.bits(16, 16));
/** What the sum of an IPv4 header has beside its addresses. @param dataBytes bytes behind the headers */
export function restSum(dataBytes: number): number {
  const sum = constantSum + totalBytes + dataBytes;
  return (sum % 0x10000) + Math.floor(sum / 0x10000);
}

/** The headers of a request from one end to the other. @param sum of the IPv4 header, both addresses and the rest */
export function requestHeader(from: End, to: End, sum: UInt, s: Said): UInt {
  const clioSize = s.dataBytes(clioBytes),
    udpLength = s.dataBytes(clioBytes + udpHeader.bytes),
    totalLength = s.dataBytes(totalBytes);
  return joinBytes(
    joinFields(ethernetHeader, { dst: to.mac, src: from.mac, etherType: etherType.ipv4 }),
    joinFields(ipv4Header, {
      ...first,
      ...rest,
      totalLength,
      checksum: sum.not(),
      src: from.ip,
      dst: to.ip,
    }),
    joinFields(udpHeader, { srcPort: from.port, dstPort: to.port, length: udpLength, checksum: 0 }),
    joinFields(clioHeader, {
      pid: s.pid,
      tag: s.tag,
      opcode: s.opcode,
      status: 0,
      flagRoute: 0,
      flagRepl: 0,
      flagTracked: s.tracked,
      flagRetry: s.retry,
      seqId: 0,
      size: clioSize,
      requestId: s.requestId,
      retryOf: s.retryOf,
    }),
    s.body,
  );
}
