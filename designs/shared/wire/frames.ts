import { internetChecksum } from "./checksum.ts";
import { encode, encodeInto } from "./codec.ts";
import { arpPacket } from "./arp.ts";
import { ethernetHeader, etherType, minimumFrame } from "./ethernet.ts";
import { headerOffsets } from "./header-offsets.ts";
import { icmpHeader } from "./icmp.ts";
import { ipProtocol, ipv4Header } from "./ipv4.ts";
import type { Decoded } from "./layout.ts";
import { udpHeader } from "./udp.ts";

/** One end of a conversation. */
export interface Endpoint {
  readonly mac: bigint;
  readonly ip: number;
  readonly port: number;
}

/** Bytes one after another. */
export function concat(...parts: readonly Uint8Array[]): Uint8Array {
  let bytes = 0,
    at = 0;
  for (const p of parts) bytes += p.length;
  const out = new Uint8Array(bytes);
  for (const p of parts) {
    out.set(p, at);
    at += p.length;
  }
  return out;
}
/** Zero-padded to the shortest Ethernet frame (60 bytes without FCS). */
export function padFrame(frame: Uint8Array): Uint8Array {
  return frame.length >= minimumFrame ? frame : concat(frame, new Uint8Array(minimumFrame - frame.length));
}

/** An IPv4 header as the node writes it: no options, identification 0, don't fragment, TTL 64, right checksum. */
export function ipv4Bytes(src: number, dst: number, protocol: number, payloadBytes: number): Uint8Array {
  const header = new Uint8Array(ipv4Header.bytes);
  ipv4Into(header, 0, src, dst, protocol, payloadBytes);
  return header;
}
/** `ipv4Bytes` into bytes that are 0, from an offset. */
function ipv4Into(
  bytes: Uint8Array,
  at: number,
  src: number,
  dst: number,
  protocol: number,
  payloadBytes: number,
): void {
  const totalLength = ipv4Header.bytes + payloadBytes;
  encodeInto(ipv4Header, { version: 4, ihl: 5, totalLength, dontFragment: 1, ttl: 64, protocol, src, dst }, bytes, at);
  encodeInto(ipv4Header, { checksum: internetChecksum(bytes, at, at + ipv4Header.bytes) }, bytes, at);
}

/**
 * A UDP datagram in an Ethernet frame, UDP checksum 0, padded to 60 bytes.
 * @param payload the UDP data, in parts
 */
export function udpFrame(from: Endpoint, to: Endpoint, ...payload: readonly Uint8Array[]): Uint8Array {
  const { ethernet, network, transport } = headerOffsets,
    length = payload.reduce((n, part) => n + part.length, udpHeader.bytes),
    frame = new Uint8Array(Math.max(minimumFrame, transport + length));
  encodeInto(ethernetHeader, { dst: to.mac, src: from.mac, etherType: etherType.ipv4 }, frame, ethernet);
  ipv4Into(frame, network, from.ip, to.ip, ipProtocol.udp, length);
  encodeInto(udpHeader, { srcPort: from.port, dstPort: to.port, length }, frame, transport);
  let at = transport + udpHeader.bytes;
  for (const part of payload) {
    frame.set(part, at);
    at += part.length;
  }
  return frame;
}

/** An ARP packet in an Ethernet frame, padded to 60 bytes. */
export function arpFrame(
  dst: bigint,
  values: Pick<Decoded<typeof arpPacket>, "operation" | "senderMac" | "senderIp" | "targetMac" | "targetIp">,
): Uint8Array {
  return padFrame(
    concat(
      encode(ethernetHeader, { dst, src: values.senderMac, etherType: etherType.arp }),
      encode(arpPacket, { hardwareType: 1, protocolType: etherType.ipv4, hardwareSize: 6, protocolSize: 4, ...values }),
    ),
  );
}

/** An ICMP echo message in an Ethernet frame. */
export function icmpEchoFrame(
  from: Omit<Endpoint, "port">,
  to: Omit<Endpoint, "port">,
  identifier: number,
  sequence: number,
  data: Uint8Array,
): Uint8Array {
  const message = concat(encode(icmpHeader, { type: 8, identifier, sequence }), data);
  encodeInto(icmpHeader, { checksum: internetChecksum(message) }, message);
  return padFrame(
    concat(
      encode(ethernetHeader, { dst: to.mac, src: from.mac, etherType: etherType.ipv4 }),
      ipv4Bytes(from.ip, to.ip, ipProtocol.icmp, message.length),
      message,
    ),
  );
}
