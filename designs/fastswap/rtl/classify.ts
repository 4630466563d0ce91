import { type Bit, bit, mux, node, reg, type UInt, when } from "../../../hdl-dsl/index.ts";
import { cutFields } from "../../shared/frame/index.ts";
import {
  ethernetHeader,
  etherType,
  headerOffsets,
  ipProtocol,
  ipv4Header,
  udpHeader,
} from "../../shared/wire/index.ts";

export interface Classifier {
  /** Which bit of the client's UDP port tells the class. */
  readonly classBit: number;
  /** Whether the client has sent the frame or is to have it: its port is the source or the destination. */
  readonly clientIs: "source" | "destination";
}

/**
 * Whether the beat that stands there belongs to a bulk frame: the bit of the client's UDP port says so. What is not UDP
 * over IPv4 without options (ARP, ICMP, fragments) is critical: it is short, and somebody waits for it. Wires, and a
 * register for the beats behind the first.
 */
export function bulkOf(p: Classifier, data: UInt, fires: Bit, last: Bit): Bit {
  const isFirst = reg(bit, { init: 1, name: "is_first" }),
    kept = reg(bit, { init: 0, name: "kept_class" });
  const { etherType: type } = cutFields(ethernetHeader, data),
    ip = cutFields(ipv4Header, data, headerOffsets.network),
    udp = cutFields(udpHeader, data, headerOffsets.transport);
  const port = p.clientIs === "source" ? udp.srcPort : udp.dstPort;
  const isUdp = node(
    type
      .eq(etherType.ipv4)
      .and(ip.version.eq(4))
      .and(ip.ihl.eq(5))
      .and(ip.protocol.eq(ipProtocol.udp))
      .and(ip.moreFragments.or(ip.fragmentOffset.any()).not()),
    { name: "is_udp" },
  );
  const here = node(isUdp.and(port.bit(p.classBit)), { name: "class_here" });
  when(fires, () => isFirst.set(last));
  when(fires.and(isFirst), () => kept.set(here));
  return node(mux(isFirst, here, kept), { name: "bulk" });
}
