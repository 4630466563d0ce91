/** The header of a reply: it echoes the request's fields. */
import { type Bit, map, node, stage, struct, uint, type UInt, type Val } from "../../../../hdl-dsl/index.ts";
import { cutFields, joinBytes, joinFields } from "../../../shared/frame/index.ts";
import { ethernetHeader, ipv4Header, udpHeader } from "../../../shared/wire/index.ts";
import type { NetConfig } from "../../rtl/index.ts";
import { clioHeader, frameOffsets } from "../../wire/index.ts";
import { ethernetType, ipHeader, ipOverhead, ipSum } from "../addresses.ts";
import type { ExtendPathParameters } from "../extend-path.ts";
import type { Headed } from "./gather.ts";

/** The lengths, and the checksum's sum before its carries. */
export function sumUp(headed: Headed, config: Val<typeof NetConfig>) {
  const askedIp = cutFields(ipv4Header, headed.payload.header, frameOffsets.network);
  const ipLength = node(headed.payload.length.zext(16).add(ipOverhead + clioHeader.bytes));
  const Summed = struct({ ...headed.shape.fields, ipLength: uint(16), sum: uint(17) });
  const summed = stage(
    map(headed, Summed, v => ({ ...v, ipLength: ipLength, sum: ipSum(config, askedIp.src, ipLength) }), {
      name: "summed",
    }),
    "full",
    { name: "to_head" },
  );

  return summed;
}
export type Summed = ReturnType<typeof sumUp>;

export function headerOf(
  v: Summed["payload"],
  p: Pick<ExtendPathParameters, "partBit">,
  config: Val<typeof NetConfig>,
): UInt {
  const ethernet = cutFields(ethernetHeader, v.header),
    ip = cutFields(ipv4Header, v.header, frameOffsets.network);
  const udp = cutFields(udpHeader, v.header, frameOffsets.transport),
    clio = cutFields(clioHeader, v.header, frameOffsets.clio);
  const native = node(udp.dstPort.eq(config.nativePort)),
    flag = (f: UInt<1>): Bit => f.and(native);
  const size = node(v.length.zext(16).add(clioHeader.bytes));
  return joinBytes(
    joinFields(ethernetHeader, {
      dst: p.partBit === undefined ? ethernet.src : ethernet.src.or(v.more.zext(48).shl(p.partBit)),
      src: config.mac,
      etherType: ethernetType,
    }),
    ipHeader({ src: config.ip, dst: ip.src, totalLength: v.ipLength }, v.sum),
    joinFields(udpHeader, {
      srcPort: udp.dstPort,
      dstPort: udp.srcPort,
      length: node(v.length.zext(16).add(udpHeader.bytes + clioHeader.bytes)),
      checksum: 0,
    }),
    joinFields(clioHeader, {
      ...clio,
      opcode: v.opcode,
      status: v.status,
      size,
      flagRoute: flag(clio.flagRoute),
      flagRepl: flag(clio.flagRepl),
      flagTracked: flag(clio.flagTracked),
      flagRetry: flag(clio.flagRetry),
    }),
  );
}
