import { arpPacket } from "../../shared/wire/index.ts";
import { decode, encode } from "../../shared/wire/index.ts";
import { etherType, ethernetHeader } from "../../shared/wire/index.ts";
import { concat } from "../../shared/wire/index.ts";
import { clioHeader, frameOffsets } from "./headers.ts";
import { icmpHeader } from "../../shared/wire/index.ts";
import { ipProtocol, ipv4Header } from "../../shared/wire/index.ts";
import type { Decoded, FieldSet, Layout, Values } from "../../shared/wire/index.ts";
import { udpHeader } from "../../shared/wire/index.ts";

/** A Clio message: header with its `size` worked out (unless given), body, data. */
export function clioMessage(header: Partial<Decoded<typeof clioHeader>>, ...body: readonly Uint8Array[]): Uint8Array {
  const rest = concat(...body);
  return concat(encode(clioHeader, { size: clioHeader.bytes + rest.length, ...header }), rest);
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
