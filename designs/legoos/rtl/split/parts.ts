/** A compound request taken apart. Wires only. */
import { cat, constant, node, onesAdd, type UInt } from "../../../../hdl-dsl/index.ts";
import { accessBody, clioHeader, frameOffsets, opcodeBits } from "../../../clio/wire/index.ts";
import { cutFields, joinBytes, joinFields } from "../../../shared/frame/index.ts";
import {
  ethernetHeader,
  etherType,
  headerOffsets,
  ipProtocol,
  ipv4Header,
  udpHeader,
} from "../../../shared/wire/index.ts";
import { beatBytes } from "../../config/index.ts";
import { compoundBody, flushAndFetch, part, partShift } from "../../wire/index.ts";
import { requestBytes } from "../miss/header.ts";

const bodyBits = 8 * accessBody.bytes,
  bodyAt = 8 * frameOffsets.body;
/** Bytes of the body in the first beat, in bits; and bytes of a request behind its first beat. */
export const inFirst = 8 * beatBytes - bodyAt,
  rest = requestBytes % beatBytes;

/** The WRITE and the READ that a compound request is made of, from the two beats of its headers. */
export function partsOf(first: UInt, second: UInt) {
  const ethernet = cutFields(ethernetHeader, first),
    ipv4 = cutFields(ipv4Header, first, headerOffsets.network),
    udp = cutFields(udpHeader, first, headerOffsets.transport),
    clio = cutFields(clioHeader, first, frameOffsets.clio);
  const body = cat(second.bits(0, 8 * rest), first.bits(bodyAt, inFirst)).is(bodyBits),
    { flushVa, fetchVa } = cutFields(compoundBody, body);
  const compound = node(
    ethernet.etherType
      .eq(etherType.ipv4)
      .and(ipv4.protocol.eq(ipProtocol.udp))
      .and(ipv4.ihl.eq(5))
      .and(clio.opcode.eq(flushAndFetch))
      .and(clio.size.gt(clioHeader.bytes + accessBody.bytes)),
    { name: "compound" },
  );
  const length = node(clio.size.sub(clioHeader.bytes + accessBody.bytes), { name: "data_bytes" });
  const access = (va: UInt): UInt => joinFields(accessBody, { va: va.zext(64), length: length.zext(32) });
  const readLength = headerOffsets.payload - headerOffsets.network + clioHeader.bytes + accessBody.bytes;
  // The checksum's sum without the old length, with the new one.
  const without = node(onesAdd(ipv4.checksum.not(), ipv4.totalLength.not()));
  const tag = cat(constant(0, 8 - partShift - 2), constant(part.fetch, 2), clio.tag.bits(0, partShift));
  const read = joinBytes(
    first.bits(0, 8 * headerOffsets.network),
    joinFields(ipv4Header, {
      ...ipv4,
      totalLength: readLength,
      checksum: onesAdd(without, constant(readLength, 16)).not(),
    }),
    joinFields(udpHeader, { ...udp, length: readLength - ipv4Header.bytes }),
    joinFields(clioHeader, {
      ...clio,
      tag,
      opcode: opcodeBits.READ,
      flagTracked: 0,
      flagRetry: 0,
      retryOf: 0,
      size: clioHeader.bytes + accessBody.bytes,
    }),
    access(fetchVa),
  );
  const write = access(flushVa),
    firstOf = (opcode: UInt, b: UInt): UInt =>
      joinBytes(first.bits(0, 8 * frameOffsets.clio), joinFields(clioHeader, { ...clio, opcode }), b.bits(0, inFirst));
  const written = firstOf(opcodeBits.WRITE, write);

  return {
    /** It says that it is a compound request. Without this the others say nothing. */
    compound,
    /** The whole READ, the first beat of the WRITE, and its body. */
    read,
    written,
    write,
  };
}
