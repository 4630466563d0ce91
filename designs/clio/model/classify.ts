import {
  arpPacket,
  broadcastMac,
  decode,
  etherType,
  ethernetHeader,
  icmpHeader,
  internetChecksum,
  ipProtocol,
  ipv4Header,
  udpHeader,
  type Decoded,
} from "../../shared/wire/index.ts";
import { clioHeader, frameOffsets, type RequestHeaders } from "../wire/index.ts";
import type { DropReason, RuntimeSettings } from "../config/index.ts";

/** Rules for the frames that are for the node: section 1 of rules.md. */
export interface FilterSettings extends Pick<
  RuntimeSettings,
  "mac" | "ip" | "nativePort" | "clientPort" | "acceptAnyMac"
> {
  readonly mtuFrame: number;
  readonly clientPorts: number;
}

/** A UDP request that passed every check. */
export interface Request extends RequestHeaders {
  /** Bytes from the Clio header's first byte to the end of the UDP data. */
  readonly came: number;
}
export type Verdict =
  | { readonly kind: "drop"; readonly reason: DropReason }
  | { readonly kind: "arp"; readonly ethernet: Decoded<typeof ethernetHeader>; readonly arp: Decoded<typeof arpPacket> }
  | { readonly kind: "icmp"; readonly totalLength: number }
  | { readonly kind: "request"; readonly request: Request };

const drop = (reason: DropReason): Verdict => ({ kind: "drop", reason });

/** Apply rules 1 to 20 in their order; the FCS is not looked at here. */
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
    return request && arp.targetIp === s.ip ? { kind: "arp", ethernet, arp } : drop("dropArp");
  }
  if (ethernet.etherType !== etherType.ipv4) return drop("dropEtherType");
  if (L < frameOffsets.transport) return drop("dropShort");
  const ipv4 = decode(ipv4Header, frame, frameOffsets.network);
  if (ipv4.version !== 4 || ipv4.ihl < 5) return drop("dropIpHeader");
  if (ipv4.ihl > 5) return drop("dropIpOptions");
  if (internetChecksum(frame, frameOffsets.network, frameOffsets.transport) !== 0) return drop("dropIpChecksum");
  if (ipv4.moreFragments !== 0 || ipv4.fragmentOffset !== 0) return drop("dropFragment");
  if (ipv4.dst !== s.ip) return drop("dropIp");
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
  return { kind: "request", request: { ethernet, ipv4, udp, clio, came: udp.length - udpHeader.bytes, native } };
}
