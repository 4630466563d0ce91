import { arpPacket } from "./arp.ts";
import { decode, decodeField, fieldReader } from "./codec.ts";
import { ethernetHeader, etherType } from "./ethernet.ts";
import { headerOffsets } from "./header-offsets.ts";
import { icmpHeader } from "./icmp.ts";
import { ipProtocol, ipv4Header } from "./ipv4.ts";
import type { Decoded, FieldSet, Layout, Values } from "./layout.ts";
import { udpHeader } from "./udp.ts";

/** The headers of a frame up to UDP, as far as they go; a part that is cut short or of another protocol is absent. */
export interface DissectedStack {
  readonly ethernet?: Decoded<typeof ethernetHeader>;
  readonly arp?: Decoded<typeof arpPacket>;
  readonly ipv4?: Decoded<typeof ipv4Header>;
  readonly icmp?: Decoded<typeof icmpHeader>;
  readonly udp?: Decoded<typeof udpHeader>;
}

/** The values of a layout at byte `offset`, or undefined where the bytes end before it does. */
export function decodeIf<F extends FieldSet>(l: Layout<F>, bytes: Uint8Array, offset: number): Values<F> | undefined {
  return offset + l.bytes <= bytes.length ? decode(l, bytes, offset) : undefined;
}

/** Takes the headers of a frame apart, leniently: no checksum or length is checked. Never throws. */
export function dissectStack(frame: Uint8Array): DissectedStack {
  const out: { -readonly [K in keyof DissectedStack]: DissectedStack[K] } = {};
  const ethernet = decodeIf(ethernetHeader, frame, headerOffsets.ethernet);
  if (!ethernet) return out;
  out.ethernet = ethernet;
  if (ethernet.etherType === etherType.arp) {
    const arp = decodeIf(arpPacket, frame, headerOffsets.network);
    if (arp) out.arp = arp;
    return out;
  }
  const ipv4 = ethernet.etherType === etherType.ipv4 ? decodeIf(ipv4Header, frame, headerOffsets.network) : undefined;
  if (!ipv4) return out;
  out.ipv4 = ipv4;
  if (ipv4.ihl !== 5 || ipv4.moreFragments !== 0 || ipv4.fragmentOffset !== 0) return out;
  if (ipv4.protocol === ipProtocol.icmp) {
    const icmp = decodeIf(icmpHeader, frame, headerOffsets.transport);
    if (icmp) out.icmp = icmp;
    return out;
  }
  const udp = ipv4.protocol === ipProtocol.udp ? decodeIf(udpHeader, frame, headerOffsets.transport) : undefined;
  if (udp) out.udp = udp;
  return out;
}

/** Addresses (32 bits) and UDP ports of a frame. */
export interface UdpRoute {
  readonly src: number;
  readonly srcPort: number;
  readonly dst: number;
  readonly dstPort: number;
}
/** The addresses and ports that `dissectStack` finds, without its other values; undefined without a UDP header. */
export function udpRoute(frame: Uint8Array): UdpRoute | undefined {
  if (!isUdp(frame)) return undefined;
  const { network, transport } = headerOffsets;
  return {
    src: decodeField(ipv4Header, "src", frame, network) ?? 0,
    srcPort: decodeField(udpHeader, "srcPort", frame, transport) ?? 0,
    dst: decodeField(ipv4Header, "dst", frame, network) ?? 0,
    dstPort: decodeField(udpHeader, "dstPort", frame, transport) ?? 0,
  };
}
/** The IPv4 address that a frame is for, that which an ARP packet asks for included; undefined for other frames. */
export function destinationOf(frame: Uint8Array): number | undefined {
  const { ethernet, network } = headerOffsets;
  switch (decodeField(ethernetHeader, "etherType", frame, ethernet)) {
    case etherType.arp:
      return decodeField(arpPacket, "targetIp", frame, network);
    case etherType.ipv4:
      return decodeField(ipv4Header, "dst", frame, network);
    default:
      return undefined;
  }
}

const etherTypeOf = fieldReader(ethernetHeader, "etherType"),
  ihlOf = fieldReader(ipv4Header, "ihl"),
  moreFragmentsOf = fieldReader(ipv4Header, "moreFragments"),
  fragmentOffsetOf = fieldReader(ipv4Header, "fragmentOffset"),
  protocolOf = fieldReader(ipv4Header, "protocol");
/** Whether `dissectStack` finds a UDP header: the same rules, without the values. */
export function isUdp(frame: Uint8Array): boolean {
  const { ethernet, network, transport } = headerOffsets;
  return (
    transport + udpHeader.bytes <= frame.length &&
    etherTypeOf(frame, ethernet) === etherType.ipv4 &&
    ihlOf(frame, network) === 5 &&
    moreFragmentsOf(frame, network) === 0 &&
    fragmentOffsetOf(frame, network) === 0 &&
    protocolOf(frame, network) === ipProtocol.udp
  );
}
