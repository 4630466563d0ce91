/** The headers in a frame's first bytes, and what they say that it is. Wires only. */
import { type Bit, constant, node, priority, type UInt, type Val } from "../../../../../hdl-dsl/index.ts";
import { cutFields } from "../../../../shared/frame/index.ts";
import {
  arpPacket,
  ethernetHeader,
  etherType,
  icmpHeader,
  ipProtocol,
  ipv4Header,
  udpHeader,
} from "../../../../shared/wire/index.ts";
import { accessBody, clioHeader, frameOffsets } from "../../../wire/index.ts";
import { FrameKind, type NetConfig } from "../../records/records.ts";
import { isInside } from "../senders.ts";
import type { NetRxParameters } from "./records.ts";

/** Every header that may stand there, whatever does. */
export const headersOf = (header: UInt) => ({
  ethernet: cutFields(ethernetHeader, header),
  arp: cutFields(arpPacket, header, frameOffsets.network),
  ip: cutFields(ipv4Header, header, frameOffsets.network),
  icmp: cutFields(icmpHeader, header, frameOffsets.transport),
  udp: cutFields(udpHeader, header, frameOffsets.transport),
  clio: cutFields(clioHeader, header, frameOffsets.clio),
  body: cutFields(accessBody, header, frameOffsets.body),
});
export type Headers = ReturnType<typeof headersOf>;

/** What kind of frame it is, and at which of the node's ports it came. */
export interface Traits {
  readonly isArp: Bit;
  readonly isIp: Bit;
  /** Both are IPv4. */
  readonly isIcmp: Bit;
  readonly isUdp: Bit;
  /** For net_tx; Clio when it is neither of the others. */
  readonly kind: Val<typeof FrameKind>;
  /** The native port; one of the published client's. */
  readonly native: Bit;
  readonly client: Bit;
  /** The sender is an offload of the node, in a build that has them. */
  readonly inside: Bit | undefined;
}

export function traitsOf(p: NetRxParameters, { ethernet, ip, udp }: Headers, config: Val<typeof NetConfig>): Traits {
  const isArp = node(ethernet.etherType.eq(etherType.arp)),
    isIp = node(ethernet.etherType.eq(etherType.ipv4));
  const isIcmp = node(isIp.and(ip.protocol.eq(ipProtocol.icmp))),
    isUdp = node(isIp.and(ip.protocol.eq(ipProtocol.udp)));
  const kind = node(priority([isArp, FrameKind.arp], [isIcmp, FrameKind.icmp], FrameKind.clio));
  const native = node(udp.dstPort.eq(config.nativePort));
  const portPast = node(udp.dstPort.sub(config.clientPort));
  // Ports past 65535 do not exist: a port below the first client port wraps to a large number.
  const client = node(p.clientPorts > 65535 ? constant(1, 1) : portPast.lt(p.clientPorts));
  const inside = p.internal === true ? isInside(ethernet.src) : undefined;
  return { isArp, isIp, isIcmp, isUdp, kind, native, client, inside };
}
