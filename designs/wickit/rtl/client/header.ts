import { constant, node, reg, uint, type UInt, type Val } from "../../../../hdl-dsl/index.ts";
import { ethernetHeader, etherType, ipv4Header, udpHeader } from "../../../shared/wire/index.ts";
import { ipv4Constants, ipv4ConstantSum, joinBytes, joinFields } from "../../../shared/frame/index.ts";
import { accessBody, clioHeader, frameOffsets } from "../../../clio/wire/index.ts";
import type { ClientConfig } from "./types.ts";

/** Bytes in front of a request's words, `va` and `length` among them. */
export const headerBytes = frameOffsets.body + accessBody.bytes;
const ipOverhead = ipv4Header.bytes + udpHeader.bytes;

/** Fields of a request that differ from one to the next. */
export interface RequestFields {
  /** Bytes of the Clio message: its header and all that is behind it. */
  readonly size: UInt;
  readonly tag: UInt;
  readonly opcode: UInt;
  readonly id: UInt;
  /** The first request of the same access, when this one repeats it. */
  readonly repeats: UInt<1>;
  readonly first: UInt;
  readonly va: UInt;
  readonly length: UInt;
}

/** The sum of the IPv4 header's words without its length: addresses come from registers, and so does the sum. */
export function addressSum(config: Val<typeof ClientConfig>): UInt {
  const sum = reg(uint(20), { name: "address_sum" }),
    half = (v: UInt, at: number): UInt => v.bits(at, 16).zext(20);
  const own = node(half(config.ip, 0).add(half(config.ip, 16)).add(ipv4ConstantSum), { name: "own_sum" });
  sum.set(own.add(half(config.nodeIp, 0)).add(half(config.nodeIp, 16)));
  return sum;
}
/** The sum with the length, folded once: 17 bits. */
export const lengthSum = (addresses: UInt, size: UInt): UInt => {
  const sum = node(addresses.add(size.zext(20)).add(ipOverhead), { name: "length_sum" });
  return sum.bits(0, 16).zext(17).add(sum.bits(16, 4).zext(17));
};

/** The frame's first bytes, byte 0 lowest. @param sum of `lengthSum` */
export function requestHeader(config: Val<typeof ClientConfig>, f: RequestFields, sum: UInt): UInt {
  const checksum = node(sum.bits(0, 16).add(sum.bit(16).zext(16)).not(), { name: "checksum" });
  return joinBytes(
    joinFields(ethernetHeader, { dst: config.nodeMac, src: config.mac, etherType: constant(etherType.ipv4, 16) }),
    joinFields(ipv4Header, {
      ...ipv4Constants,
      checksum,
      totalLength: node(f.size.add(ipOverhead), { name: "total_length" }),
      src: config.ip,
      dst: config.nodeIp,
    }),
    joinFields(udpHeader, {
      srcPort: config.port,
      dstPort: config.nodePort,
      length: node(f.size.add(udpHeader.bytes), { name: "udp_length" }),
      checksum: 0,
    }),
    joinFields(clioHeader, {
      pid: config.pid,
      tag: f.tag,
      opcode: f.opcode,
      status: 0,
      flagRoute: 0,
      flagRepl: 0,
      flagTracked: 1,
      flagRetry: f.repeats,
      seqId: 0,
      size: f.size,
      requestId: f.id,
      retryOf: f.first,
    }),
    joinFields(accessBody, { va: f.va, length: f.length }),
  );
}
