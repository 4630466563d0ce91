import { dissect, opcode, udpPorts } from "../../clio/wire/index.ts";
import { ipProtocol } from "../../shared/wire/index.ts";
import { mostWords, type SnicWicConfig, wicHead, wordBytes } from "../wire/index.ts";

/** What a packet is to the task: a request, one that is none but by its opcode, the node's reply, or nothing of it. */
export type SnicKind = "request" | "malformed" | "reply" | "passes";

/** @param from user of the packet, the port where it came in, and the bytes in front of its payload, if any */
export function snicKind(
  frame: Uint8Array,
  from: { readonly user: number; readonly ingress: number; readonly headBytes: number },
  c: SnicWicConfig,
): SnicKind {
  const { ipv4: ip, udp, clio } = dissect(frame);
  if (!ip || !udp || !clio || from.user !== c.user) return "passes";
  if (frame.length > from.headBytes && from.headBytes !== 64) return "passes";
  if (ip.version !== 4 || ip.ihl !== 5 || ip.protocol !== ipProtocol.udp) return "passes";
  const whole = udp.length === 8 + clio.size && ip.totalLength === 28 + clio.size && frame.length >= 42 + clio.size;
  if (!whole || clio.size < 16) return "passes";
  const fromNode = ip.src === c.node.ip && udp.srcPort === udpPorts.native && from.ingress === c.nodePort;
  const toTask = ip.dst === c.own.ip && udp.dstPort === c.own.port;
  const toNode = ip.dst === c.node.ip && udp.dstPort === udpPorts.native;
  if (toNode && clio.opcode === opcode.WIC && clio.pid === c.pid) {
    const words = clio.size - 16 - wicHead.bytes;
    const fits = words >= 0 && words <= mostWords * wordBytes && words % wordBytes === 0;
    return fits && clio.flagTracked === 1 ? "request" : "malformed";
  }
  return fromNode && toTask ? "reply" : "passes";
}
