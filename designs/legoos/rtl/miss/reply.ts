import { type Bit, constant, mux, node, type UInt, type Val } from "../../../../hdl-dsl/index.ts";
import { accessBody, clioHeader, frameOffsets, opcodeBits, statusBits } from "../../../clio/wire/index.ts";
import { cutFields } from "../../../shared/frame/index.ts";
import {
  ethernetHeader,
  etherType,
  headerOffsets,
  ipProtocol,
  ipv4Header,
  udpHeader,
} from "../../../shared/wire/index.ts";
import type { Parameters } from "../../config/index.ts";
import { flushAndFetch, part, partShift } from "../../wire/index.ts";
import type { Own } from "../records/miss-records.ts";

/** What a frame's first beat says of the reply in it. Wires only. */
export function judgeReply(p: Parameters, own: Val<typeof Own>, head: UInt, alone: Bit) {
  const ethernet = cutFields(ethernetHeader, head),
    ipv4 = cutFields(ipv4Header, head, headerOffsets.network),
    udp = cutFields(udpHeader, head, headerOffsets.transport),
    clio = cutFields(clioHeader, head, frameOffsets.clio);
  const mine = node(
    ethernet.etherType
      .eq(etherType.ipv4)
      .and(ipv4.version.eq(4))
      .and(ipv4.ihl.eq(5))
      .and(ipv4.protocol.eq(ipProtocol.udp))
      .and(ipv4.dst.eq(own.ip))
      .and(udp.dstPort.eq(own.port)),
  );
  const read = node(clio.opcode.eq(opcodeBits.READ_REPLY)),
    write = node(clio.opcode.eq(opcodeBits.WRITE_REPLY)),
    refused = node(clio.opcode.eq(flushAndFetch)),
    which = clio.tag.bits(partShift, 2),
    ofFetch = node(which.eq(part.fetch));
  // A refusal of a compound is the node's word about its write.
  const fits = node(mux(ofFetch, read, write.or(refused))),
    ok = node(clio.status.eq(statusBits.OK)),
    whole = node(
      read
        .and(ok)
        .and(clio.size.eq(clioHeader.bytes + accessBody.bytes + p.lineBytes))
        .andNot(alone),
    ),
    formed = node(mux(ofFetch.and(ok), whole, constant(1, 1)));

  return {
    clio,
    /** Whose answer it is: the part of its tag. */
    which,
    /** It is for us; of an operation that fits the part; with the line's bytes; as long as it should be. */
    mine,
    fits,
    whole,
    formed,
  };
}
