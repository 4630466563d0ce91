import { decode, encodeInto } from "./codec.ts";
import { updateChecksum } from "./checksum.ts";
import { arpFrame, padFrame } from "./frames.ts";
import type { arpPacket } from "./arp.ts";
import { ethernetHeader } from "./ethernet.ts";
import { headerOffsets } from "./header-offsets.ts";
import { icmpHeader } from "./icmp.ts";
import { ipv4Header } from "./ipv4.ts";
import type { Decoded } from "./layout.ts";

/** Who answers. */
export interface Own {
  readonly mac: bigint;
  readonly ip: number;
}

/** The answer to an ARP request: back to its Ethernet source, padded to 60 bytes. */
export function arpReplyFrame(
  own: Own,
  ethernet: Decoded<typeof ethernetHeader>,
  arp: Decoded<typeof arpPacket>,
): Uint8Array {
  return arpFrame(ethernet.src, {
    operation: 2,
    senderMac: own.mac,
    senderIp: own.ip,
    targetMac: arp.senderMac,
    targetIp: arp.senderIp,
  });
}

/**
 * The answer to an ICMP echo request: its own bytes turned round, the ICMP checksum updated for the type (RFC 1624),
 * padded to 60 bytes.
 */
export function echoReplyFrame(own: Own, frame: Uint8Array, totalLength: number): Uint8Array {
  const reply = frame.slice(0, ethernetHeader.bytes + totalLength),
    at = headerOffsets.transport;
  encodeInto(ethernetHeader, { dst: decode(ethernetHeader, frame).src, src: own.mac }, reply);
  const { src, dst } = decode(ipv4Header, frame, headerOffsets.network);
  encodeInto(ipv4Header, { src: dst, dst: src }, reply, headerOffsets.network);
  const { type, code, checksum } = decode(icmpHeader, frame, at);
  encodeInto(icmpHeader, { type: 0, checksum: updateChecksum(checksum, type * 256 + code, code) }, reply, at);
  return padFrame(reply);
}
