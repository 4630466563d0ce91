import {
  arpFrame, arpPacket, clioHeader, concat, encode, encodeInto, ethernetHeader, frameOffsets, icmpHeader, ipv4Header, padFrame, udpFrame, updateChecksum, decode,
  type Decoded,
} from "../../packets/index.ts";
import type { Request } from "./classify.ts";

/** Who answers. */
export interface Own { readonly mac: bigint; readonly ip: number }

/** Section 3 of rules.md: the reply to a request, with its opcode, status and the bytes after the Clio header. */
export function replyFrame(own: Own, { ethernet, ipv4, udp, clio, native }: Request, opcode: number, status: number, body: Uint8Array = new Uint8Array()): Uint8Array {
  const flags = native ? {} : { flagRoute: 0, flagRepl: 0, flagTracked: 0, flagRetry: 0 };
  const header = encode(clioHeader, { ...clio, ...flags, opcode, status, size: clioHeader.bytes + body.length });
  return udpFrame({ ...own, port: udp.dstPort }, { mac: ethernet.src, ip: ipv4.src, port: udp.srcPort }, concat(header, body));
}

/** Section 2: the answer to an ARP request. */
export function arpReplyFrame(own: Own, ethernet: Decoded<typeof ethernetHeader>, arp: Decoded<typeof arpPacket>): Uint8Array {
  return arpFrame(ethernet.src, { operation: 2, senderMac: own.mac, senderIp: own.ip, targetMac: arp.senderMac, targetIp: arp.senderIp });
}

/** Section 2: the answer to an echo request: its own bytes, turned round. */
export function echoReplyFrame(own: Own, frame: Uint8Array, totalLength: number): Uint8Array {
  const reply = frame.slice(0, ethernetHeader.bytes + totalLength), at = frameOffsets.transport;
  encodeInto(ethernetHeader, { dst: decode(ethernetHeader, frame).src, src: own.mac }, reply);
  const { src, dst } = decode(ipv4Header, frame, frameOffsets.network);
  encodeInto(ipv4Header, { src: dst, dst: src }, reply, frameOffsets.network);
  const { type, code, checksum } = decode(icmpHeader, frame, at);
  encodeInto(icmpHeader, { type: 0, checksum: updateChecksum(checksum, type * 256 + code, code) }, reply, at);
  return padFrame(reply);
}
