import {
  arpPacket,
  broadcastMac,
  decode,
  type Decoded,
  ethernetHeader,
  etherType,
  icmpHeader,
  internetChecksum,
  ipProtocol,
  ipv4Header,
  udpHeader,
} from "../../shared/wire/index.ts";
import { clioHeader, frameOffsets, operationOf, repliesTo, type RequestHeaders } from "../wire/index.ts";
import type { DropReason, RuntimeSettings } from "../config/index.ts";

/** Rules for the frames that are for the node: section 1 of rules.md. */
export interface FilterSettings extends Pick<
  RuntimeSettings,
  "mac" | "ip" | "nativePort" | "clientPort" | "acceptAnyMac"
> {
  readonly mtuFrame: number;
  readonly clientPorts: number;
  /** The frames come from the node's own offloads, whose MAC addresses have the group bit; default from the network. */
  readonly inside?: boolean;
}

/** A UDP request that passed every check. */
export interface Request extends RequestHeaders {
  /** Bytes from the Clio header's first byte to the end of the UDP data. */
  readonly came: number;
  /** It is a reply, and is not answered. */
  readonly reply: boolean;
}
export type Verdict =
  | { readonly kind: "drop"; readonly reason: DropReason }
  | { readonly kind: "arp"; readonly ethernet: Decoded<typeof ethernetHeader>; readonly arp: Decoded<typeof arpPacket> }
  | { readonly kind: "icmp"; readonly totalLength: number }
  | { readonly kind: "request"; readonly request: Request };

const drop = (reason: DropReason): Verdict => ({ kind: "drop", reason });

/** A MAC address that no other station sends with: the node's own, or a group's. */
function isNoSender(mac: bigint, s: FilterSettings): boolean {
  return mac === s.mac || (s.inside !== true && (mac & (1n << 40n)) !== 0n);
}
/** Addresses that are not one station's: 0.0.0.0, 224.0.0.0/4, 255.255.255.255. */
function isNoStation(ip: number): boolean {
  return ip === 0 || (ip >= 0xe000_0000 && ip <= 0xefff_ffff) || ip === 0xffff_ffff;
}
/**
 * Whether a request is a reply: it has a status, or an opcode that no request has; or one that its request has, too,
 * and it comes from a port on which nodes answer. At the client ports a status counts with a bare header only.
 */
function isReply(
  { status, opcode: code, size }: Decoded<typeof clioHeader>,
  native: boolean,
  port: number,
  s: FilterSettings,
): boolean {
  if (status !== 0 && (native || size === clioHeader.bytes)) return true;
  const asks = operationOf(code);
  if (asks === undefined) return repliesTo(code).length > 0;
  const answers = port === s.nativePort || (port >= s.clientPort && port < s.clientPort + s.clientPorts);
  return asks.reply?.code === code && answers;
}

/** Apply rules 1 to 21 in their order; the FCS is not looked at here. */
export function classify(frame: Uint8Array, s: FilterSettings): Verdict {
  const L = frame.length;
  if (L > s.mtuFrame) return drop("dropLong");
  if (L < ethernetHeader.bytes) return drop("dropShort");
  const ethernet = decode(ethernetHeader, frame),
    isArp = ethernet.etherType === etherType.arp;
  if (ethernet.dst !== s.mac && !(ethernet.dst === broadcastMac && isArp) && !s.acceptAnyMac) return drop("dropMac");
  if (isArp) {
    if (L < frameOffsets.network + arpPacket.bytes) return drop("dropShort");
    const arp = decode(arpPacket, frame, frameOffsets.network);
    const request =
      arp.hardwareType === 1 &&
      arp.protocolType === etherType.ipv4 &&
      arp.hardwareSize === 6 &&
      arp.protocolSize === 4 &&
      arp.operation === 1;
    if (!request || arp.targetIp !== s.ip) return drop("dropArp");
    return isNoSender(ethernet.src, s) ? drop("dropSource") : { kind: "arp", ethernet, arp };
  }
  if (ethernet.etherType !== etherType.ipv4) return drop("dropEtherType");
  if (L < frameOffsets.transport) return drop("dropShort");
  const ipv4 = decode(ipv4Header, frame, frameOffsets.network);
  if (ipv4.version !== 4 || ipv4.ihl < 5) return drop("dropIpHeader");
  if (ipv4.ihl > 5) return drop("dropIpOptions");
  if (internetChecksum(frame, frameOffsets.network, frameOffsets.transport) !== 0) return drop("dropIpChecksum");
  if (ipv4.moreFragments !== 0 || ipv4.fragmentOffset !== 0) return drop("dropFragment");
  if (ipv4.dst !== s.ip) return drop("dropIp");
  if (isNoSender(ethernet.src, s) || isNoStation(ipv4.src) || ipv4.src === s.ip) return drop("dropSource");
  const { totalLength } = ipv4;
  if (totalLength < ipv4Header.bytes || totalLength > L - ethernetHeader.bytes) return drop("dropLength");
  if (ipv4.protocol === ipProtocol.icmp) {
    if (totalLength < ipv4Header.bytes + icmpHeader.bytes) return drop("dropShort");
    const icmp = decode(icmpHeader, frame, frameOffsets.transport);
    return icmp.type === 8 && icmp.code === 0 ? { kind: "icmp", totalLength } : drop("dropIcmp");
  }
  if (ipv4.protocol !== ipProtocol.udp) return drop("dropProtocol");
  if (totalLength < ipv4Header.bytes + udpHeader.bytes) return drop("dropShort");
  const udp = decode(udpHeader, frame, frameOffsets.transport),
    native = udp.dstPort === s.nativePort;
  if (!native && (udp.dstPort < s.clientPort || udp.dstPort >= s.clientPort + s.clientPorts)) return drop("dropPort");
  if (udp.length !== totalLength - ipv4Header.bytes) return drop("dropLength");
  if (udp.length < udpHeader.bytes + clioHeader.bytes) return drop("dropShort");
  const clio = decode(clioHeader, frame, frameOffsets.clio);
  const reply = isReply(clio, native, udp.srcPort, s);
  return { kind: "request", request: { ethernet, ipv4, udp, clio, came: udp.length - udpHeader.bytes, native, reply } };
}
