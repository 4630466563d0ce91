/** What a packet is to the task, by its header. Wires only. */
import { node, type Val } from "../../../hdl-dsl/index.ts";
import { clioHeader, frameOffsets, statusBits, udpPorts } from "../../clio/wire/index.ts";
import { cutFields } from "../../shared/frame/index.ts";
import { ethernetHeader, etherType, ipProtocol, ipv4Header, udpHeader } from "../../shared/wire/index.ts";
import type { TaskPacket } from "../../supernic/rtl/index.ts";
import { taskHeaderBytes } from "../../supernic/wire/index.ts";
import { commitOpcode, commitReplyOpcode, headBytes } from "../wire/index.ts";
import type { Configuration } from "./configuration.ts";

const ipOverhead = ipv4Header.bytes + udpHeader.bytes,
  /** Bytes of Clio's header with a head behind it. */
  least = clioHeader.bytes + headBytes;

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
 * `area`: a client's message to the task. `answer`: a node's, with a head and nothing more. All say of their lengths
 * what is true, and are of the task's user and process. Anything else is not for the task.
 */
export function classify(packet: Val<typeof TaskPacket>, c: Configuration) {
  const { ethernet, ip, udp, clio } = headersOf(packet);
  const plain = node(ethernet.etherType.eq(etherType.ipv4).and(ip.version.eq(4)).and(ip.ihl.eq(5)), { name: "plain" }),
    isUdp = node(plain.and(ip.protocol.eq(ipProtocol.udp)).andNot(packet.noL4), { name: "is_udp" });
  // Sizes are compared with more bits than they have: none wraps.
  const size = clio.size.zext(18),
    bytes = node(packet.payloadBytes.zext(18).add(packet.headBytes.zext(18)), { name: "packet_bytes" }),
    agree = ip.totalLength
      .zext(18)
      .eq(size.add(ipOverhead))
      .and(udp.length.zext(18).eq(size.add(udpHeader.bytes)));
  // Behind a task that left bytes out a payload begins elsewhere.
  const whole = node(
    agree
      .and(packet.headBytes.eq(taskHeaderBytes))
      .and(bytes.ge(size.add(frameOffsets.clio)))
      .and(size.ge(least)),
    { name: "is_whole" },
  );
  const ours = node(
    isUdp
      .and(ip.dst.eq(c.ip))
      .and(packet.user.eq(c.user.resize(packet.user.width)))
      .and(clio.pid.eq(c.pid))
      .and(c.on),
    { name: "is_ours" },
  );
  return {
    area: node(ours.and(whole).and(udp.dstPort.eq(udpPorts.native)).and(clio.opcode.eq(commitOpcode)), {
      name: "area_comes",
    }),
    answer: node(
      ours
        .and(whole)
        .and(size.eq(least))
        .and(udp.dstPort.eq(c.port))
        .and(udp.srcPort.eq(udpPorts.native))
        .and(clio.opcode.eq(commitReplyOpcode))
        .and(clio.status.eq(statusBits.OK)),
      { name: "answer_comes" },
    ),
  };
}
