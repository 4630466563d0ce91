/** What the blocks behind are told of a frame: its request, and what its reply needs. Wires only. */
import { cat, mux, type UInt, type Val } from "../../../../../hdl-dsl/index.ts";
import { lengthBits } from "../../../../shared/frame/index.ts";
import { udpHeader } from "../../../../shared/wire/index.ts";
import { accessBody, clioHeader, frameOffsets } from "../../../wire/index.ts";
import { clientBits, type NetConfig, type NetRequest, type ReplyContext } from "../../records/records.ts";
import { isOwnPid, isReply } from "../senders.ts";
import type { Headers, Traits } from "./headers.ts";
import type { Frame, NetRxParameters } from "./records.ts";

/** Bytes of the IPv4 header that an ICMP reply repeats. */
const ipBytes = 12;
/** Bits from where on the address and the length of an access stand. */
const bodyFrom = frameOffsets.body * 8;

export function requestOf(
  p: NetRxParameters,
  frame: Frame,
  { ip, udp, clio, body }: Headers,
  { kind, native, inside }: Traits,
  config: Val<typeof NetConfig>,
): Val<ReturnType<typeof NetRequest>> {
  const ownPid = isOwnPid(clio.pid);
  // Bytes behind the UDP header that the Clio header claims, against those that came.
  const claimed = clio.size.zext(17).add(udpHeader.bytes);
  const cameShort = claimed.gt(udp.length.zext(17));
  return {
    slot: frame.slot,
    kind,
    opcode: clio.opcode,
    pid: clio.pid,
    va: body.va,
    length: body.length,
    body: clio.size.sub(clioHeader.bytes).trunc(lengthBits),
    frame: frame.lastByte.resize(lengthBits).add(1),
    reply: isReply(clio, udp.srcPort, config, p.clientPorts, native),
    foreign: inside === undefined ? ownPid : ownPid.andNot(inside),
    malformed: clio.size.lt(clioHeader.bytes).or(cameShort),
    corrupt: frame.bad,
    tracked: clio.flagTracked.and(native),
    retry: clio.flagRetry,
    client: cat(ip.src, udp.srcPort).is(clientBits),
    operation: mux(clio.flagRetry, clio.retryOf, clio.requestId),
  };
}

export function contextOf(header: UInt, headers: Headers, { kind, isArp, native }: Traits): Val<typeof ReplyContext> {
  const { ethernet, arp, ip, icmp, udp } = headers;
  const clio = header.bits(frameOffsets.clio * 8, clioHeader.bytes * 8);
  // An ARP packet has no Clio header: its sender's MAC, which need not be the frame's source, is kept in the same
  // place.
  const start = mux(isArp, arp.senderMac, clio.bits(0, 48).is(48));
  return {
    kind,
    mac: ethernet.src,
    ip: mux(isArp, arp.senderIp, ip.src),
    clientPort: udp.srcPort,
    nodePort: udp.dstPort,
    header: cat(clio.bits(48, 80), start).is(128),
    body: header.bits(bodyFrom, accessBody.bytes * 8).is(96),
    published: native.not(),
    ipLength: ip.totalLength,
    icmpChecksum: icmp.checksum,
    ipHeader: header.bits(frameOffsets.network * 8, ipBytes * 8).is(96),
  };
}
