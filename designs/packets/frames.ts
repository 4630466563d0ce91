import { internetChecksum } from "./checksum.ts";
import { decode, encode, encodeInto } from "./codec.ts";
import {
  arpPacket, clioHeader, etherType, ethernetHeader, frameOffsets, icmpHeader, ipProtocol, ipv4Header, minimumFrame, udpHeader,
} from "./headers.ts";
import type { Decoded, FieldSet, Layout, Values } from "./layout.ts";

/** One end of a conversation. */
export interface Endpoint { readonly mac: bigint; readonly ip: number; readonly port: number }

/** Bytes one after another. */
export function concat(...parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((n, p) => n + p.length, 0));
  let at = 0;
  for (const p of parts) { out.set(p, at); at += p.length; }
  return out;
}
/** Zero-padded to the shortest Ethernet frame (60 bytes without FCS). */
export function padFrame(frame: Uint8Array): Uint8Array { return frame.length >= minimumFrame ? frame : concat(frame, new Uint8Array(minimumFrame - frame.length)); }

/** An IPv4 header as the node writes it: no options, identification 0, don't fragment, TTL 64, right checksum. */
export function ipv4Bytes(src: number, dst: number, protocol: number, payloadBytes: number): Uint8Array {
  const header = encode(ipv4Header, {
    version: 4, ihl: 5, totalLength: ipv4Header.bytes + payloadBytes, dontFragment: 1, ttl: 64, protocol, src, dst,
  });
  encodeInto(ipv4Header, { checksum: internetChecksum(header) }, header);
  return header;
}

/** A UDP datagram in an Ethernet frame, UDP checksum 0, padded to 60 bytes. */
export function udpFrame(from: Endpoint, to: Endpoint, payload: Uint8Array): Uint8Array {
  return padFrame(concat(
    encode(ethernetHeader, { dst: to.mac, src: from.mac, etherType: etherType.ipv4 }),
    ipv4Bytes(from.ip, to.ip, ipProtocol.udp, udpHeader.bytes + payload.length),
    encode(udpHeader, { srcPort: from.port, dstPort: to.port, length: udpHeader.bytes + payload.length }),
    payload));
}

/** A Clio message: header with its `size` worked out (unless given), body, data. */
export function clioMessage(header: Partial<Decoded<typeof clioHeader>>, ...body: readonly Uint8Array[]): Uint8Array {
  const rest = concat(...body);
  return concat(encode(clioHeader, { size: clioHeader.bytes + rest.length, ...header }), rest);
}

/** An ARP packet in an Ethernet frame, padded to 60 bytes. */
export function arpFrame(dst: bigint, values: Pick<Decoded<typeof arpPacket>, "operation" | "senderMac" | "senderIp" | "targetMac" | "targetIp">): Uint8Array {
  return padFrame(concat(
    encode(ethernetHeader, { dst, src: values.senderMac, etherType: etherType.arp }),
    encode(arpPacket, { hardwareType: 1, protocolType: etherType.ipv4, hardwareSize: 6, protocolSize: 4, ...values })));
}

/** An ICMP echo message in an Ethernet frame. */
export function icmpEchoFrame(from: Omit<Endpoint, "port">, to: Omit<Endpoint, "port">, identifier: number, sequence: number, data: Uint8Array): Uint8Array {
  const message = concat(encode(icmpHeader, { type: 8, identifier, sequence }), data);
  encodeInto(icmpHeader, { checksum: internetChecksum(message) }, message);
  return padFrame(concat(encode(ethernetHeader, { dst: to.mac, src: from.mac, etherType: etherType.ipv4 }), ipv4Bytes(from.ip, to.ip, ipProtocol.icmp, message.length), message));
}

/** What a frame holds, as far as it goes; a part that is cut short or of another protocol is absent. */
export interface Dissected {
  readonly ethernet?: Decoded<typeof ethernetHeader>; readonly arp?: Decoded<typeof arpPacket>; readonly ipv4?: Decoded<typeof ipv4Header>;
  readonly icmp?: Decoded<typeof icmpHeader>; readonly udp?: Decoded<typeof udpHeader>; readonly clio?: Decoded<typeof clioHeader>;
  /** Bytes after the Clio header, to the end of the data told by Clio `size`, the UDP length and the frame, whichever is the least. */
  readonly body?: Uint8Array;
}

function decodeIf<F extends FieldSet>(l: Layout<F>, bytes: Uint8Array, offset: number): Values<F> | undefined {
  return offset + l.bytes <= bytes.length ? decode(l, bytes, offset) : undefined;
}

/** Take a frame apart leniently (for displays, clients and the slow path; the node's own rules are the model's). Never throws. */
export function dissect(frame: Uint8Array): Dissected {
  const out: { -readonly [K in keyof Dissected]: Dissected[K] } = {};
  const ethernet = decodeIf(ethernetHeader, frame, 0);
  if (!ethernet) return out;
  out.ethernet = ethernet;
  if (ethernet.etherType === etherType.arp) {
    const arp = decodeIf(arpPacket, frame, frameOffsets.network);
    if (arp) out.arp = arp;
    return out;
  }
  const ipv4 = ethernet.etherType === etherType.ipv4 ? decodeIf(ipv4Header, frame, frameOffsets.network) : undefined;
  if (!ipv4) return out;
  out.ipv4 = ipv4;
  if (ipv4.ihl !== 5 || ipv4.moreFragments !== 0 || ipv4.fragmentOffset !== 0) return out;
  if (ipv4.protocol === ipProtocol.icmp) {
    const icmp = decodeIf(icmpHeader, frame, frameOffsets.transport);
    if (icmp) out.icmp = icmp;
    return out;
  }
  const udp = ipv4.protocol === ipProtocol.udp ? decodeIf(udpHeader, frame, frameOffsets.transport) : undefined;
  if (!udp) return out;
  out.udp = udp;
  const clio = decodeIf(clioHeader, frame, frameOffsets.clio);
  if (!clio) return out;
  out.clio = clio;
  const end = Math.min(frame.length, frameOffsets.clio + clio.size, frameOffsets.transport + udp.length);
  out.body = frame.slice(frameOffsets.body, Math.max(frameOffsets.body, end));
  return out;
}
