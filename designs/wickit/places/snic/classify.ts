/** What a packet is to the task, by its header. Wires only. */
import { node, type Val } from "../../../../hdl-dsl/index.ts";
import { clioHeader, frameOffsets, opcodeBits, udpPorts } from "../../../clio/wire/index.ts";
import { cutFields } from "../../../shared/frame/index.ts";
import { ethernetHeader, etherType, ipProtocol, ipv4Header, udpHeader } from "../../../shared/wire/index.ts";
import type { TaskPacket } from "../../../supernic/rtl/index.ts";
import { taskHeaderBytes } from "../../../supernic/wire/index.ts";
import { mostWords, wordBytes } from "../../wire/index.ts";
import type { Configuration } from "./configuration.ts";

/** Bytes of a packet in front of its Clio header and from the IPv4 header to there, and of a request's head. */
const front = frameOffsets.clio,
  ipOverhead = ipv4Header.bytes + udpHeader.bytes,
  headBytes = clioHeader.bytes + wordBytes;

export function headersOf(packet: Val<typeof TaskPacket>) {
  const { header } = packet;
  return {
    ethernet: cutFields(ethernetHeader, header, frameOffsets.ethernet),
    ip: cutFields(ipv4Header, header, frameOffsets.network),
    udp: cutFields(udpHeader, header, frameOffsets.transport),
    clio: cutFields(clioHeader, header, frameOffsets.clio),
  };
}

/**
 * `request`: a WIC of this user and process for the node. `fits`: its body is a head and whole words, 8 at most.
 * `reply`: the node's, to the task. All of them say of their lengths what is true. Anything else is not for the task.
 */
export function classify(packet: Val<typeof TaskPacket>, c: Configuration) {
  const { ethernet, ip, udp, clio } = headersOf(packet),
    { client } = c;
  const plain = node(ethernet.etherType.eq(etherType.ipv4).and(ip.version.eq(4)).and(ip.ihl.eq(5)), { name: "plain" }),
    isUdp = node(plain.and(ip.protocol.eq(ipProtocol.udp)).andNot(packet.noL4), { name: "is_udp" });
  // Sizes are compared with more bits than they have: none wraps.
  const size = clio.size.zext(18),
    bytes = node(packet.payloadBytes.zext(18).add(packet.headBytes.zext(18)), { name: "packet_bytes" });
  const sizes = node(
      ip.totalLength
        .zext(18)
        .eq(size.add(ipOverhead))
        .and(udp.length.zext(18).eq(size.add(udpHeader.bytes))),
      { name: "sizes_agree" },
    ),
    // Behind a task that left bytes out a payload begins elsewhere.
    aligned = node(packet.headBytes.eq(taskHeaderBytes).or(packet.payloadBytes.any().not()), { name: "is_aligned" }),
    whole = node(
      sizes
        .and(aligned)
        .and(bytes.ge(size.add(front)))
        .and(size.ge(clioHeader.bytes)),
      {
        name: "is_whole",
      },
    );
  const ours = node(
      isUdp
        .and(whole)
        .and(packet.user.eq(c.user.resize(packet.user.width)))
        .and(client.on),
      {
        name: "is_ours",
      },
    ),
    toNode = node(ip.dst.eq(client.nodeIp).and(udp.dstPort.eq(udpPorts.native)), { name: "to_node" }),
    asks = node(clio.opcode.eq(opcodeBits.WIC).and(clio.pid.eq(client.pid)), { name: "asks" });
  const fromNode = node(
      ip.src.eq(client.nodeIp).and(udp.srcPort.eq(udpPorts.native)).and(packet.ingress.resize(4).eq(c.nodePort)),
      { name: "from_node" },
    ),
    toTask = node(ip.dst.eq(client.ip).and(udp.dstPort.eq(client.port)), { name: "to_task" });
  const words = clio.size.sub(headBytes);
  const fits = node(
    words
      .bits(0, 3)
      .eq(0)
      .and(clio.size.ge(headBytes))
      .and(clio.size.le(headBytes + mostWords * wordBytes))
      .and(clio.flagTracked),
    { name: "body_fits" },
  );
  return {
    request: node(ours.and(toNode).and(asks), { name: "request_comes" }),
    reply: node(ours.and(fromNode).and(toTask), { name: "reply_comes" }),
    fits,
    words: words.shr(3).trunc(4),
  };
}
