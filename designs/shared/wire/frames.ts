import { internetChecksum } from "./checksum.ts";
import { encode, encodeInto } from "./codec.ts";
import { arpPacket } from "./arp.ts";
import { ethernetHeader, etherType, minimumFrame } from "./ethernet.ts";
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
  const out = new Uint8Array(parts.reduce((n, p) => n + p.length, 0));
  let at = 0;
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
  const header = encode(ipv4Header, {
    version: 4,
    ihl: 5,
    totalLength: ipv4Header.bytes + payloadBytes,
    dontFragment: 1,
    ttl: 64,
    protocol,
    src,
    dst,
  });
  encodeInto(ipv4Header, { checksum: internetChecksum(header) }, header);
  return header;
}

/** A UDP datagram in an Ethernet frame, UDP checksum 0, padded to 60 bytes. */
export function udpFrame(from: Endpoint, to: Endpoint, payload: Uint8Array): Uint8Array {
  return padFrame(
    concat(
      encode(ethernetHeader, { dst: to.mac, src: from.mac, etherType: etherType.ipv4 }),
      ipv4Bytes(from.ip, to.ip, ipProtocol.udp, udpHeader.bytes + payload.length),
      encode(udpHeader, { srcPort: from.port, dstPort: to.port, length: udpHeader.bytes + payload.length }),
      payload,
    ),
  );
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
