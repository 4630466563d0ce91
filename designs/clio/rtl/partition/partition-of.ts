import { clioHeader, frameOffsets } from "../../wire/index.ts";
import { ethernetHeader, etherType, ipProtocol, ipv4Header } from "../../../shared/wire/index.ts";
import { constant, mux, node, type UInt } from "../../../../hdl-dsl/index.ts";
import { cutFields } from "../../../shared/frame/index.ts";

/**
 * The partition of a frame, from its first beat (512 bits): the low bits of the process ID in its Clio header. A frame
 * that is no UDP packet is partition 0's. The frame is not checked yet. A frame that is later refused, by its length or
 * a checksum, has taken a place of the partition that it named. Wires only.
 */
export function partitionOf(beat: UInt, partitions: number): UInt {
  const bits = Math.log2(partitions),
    ip = cutFields(ipv4Header, beat, frameOffsets.network);
  const udp = node(
    cutFields(ethernetHeader, beat).etherType.eq(etherType.ipv4).and(ip.ihl.eq(5)).and(ip.protocol.eq(ipProtocol.udp)),
  );
  return node(mux(udp, cutFields(clioHeader, beat, frameOffsets.clio).pid.trunc(bits), constant(0, bits)));
}
