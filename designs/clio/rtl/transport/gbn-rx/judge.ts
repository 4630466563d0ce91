/** First step, at a frame's end: every rule by itself. */
import {
  bit,
  type Bit,
  cat,
  constant,
  type InstanceOf,
  node,
  reg,
  struct,
  uint,
  type UInt,
} from "../../../../../hdl-dsl/index.ts";
import { cutFields } from "../../../../shared/frame/index.ts";
import {
  gbnBytes,
  type GbnFrames,
  gbnOffset,
  wirePeer,
  wireSequenceBits,
  wireSlotBits,
} from "../../../../shared/go-back-n/rtl/index.ts";
import { gbnHeader, gbnTypes, managementSlot } from "../../../../shared/go-back-n/wire/index.ts";
import { ethernetHeader, etherType, ipProtocol, ipv4Header, udpHeader } from "../../../../shared/wire/index.ts";
import { clioHeader, frameOffsets, operations } from "../../../wire/index.ts";
import { checksumIsRight } from "../../network/net-rx/checksum.ts";
import { isNoSender, isNoStation, isReply } from "../../network/senders.ts";
import { opcodeOffset, sizeOffset, statusOffset } from "../gbn-opcode.ts";
import type { GbnRxIo, GbnRxParameters } from "./ports.ts";

/** Opcodes of requests that are never answered, besides replies. */
const silentOpcodes = operations.filter(o => o.reply === undefined).map(o => o.code);

export const Judged = struct({
  kept: bit,
  bad: bit,
  long: bit,
  stored: bit,
  ours: uint(10),
  sumRight: bit,
  data: bit,
  answered: bit,
  nack: bit,
  management: bit,
  short: bit,
  silent: bit,
  session: uint(wireSlotBits),
  sequence: uint(wireSequenceBits),
  peer: uint(wirePeer.identityBits + wirePeer.addressBits),
  ipLength: uint(16),
  checksum: uint(16),
  udpLength: uint(16),
});

type FrameEnd = InstanceOf<typeof GbnFrames>["end"];

/** The headers in the first bytes of a frame. */
function headersOf({ header }: FrameEnd) {
  return {
    ethernet: cutFields(ethernetHeader, header),
    ip: cutFields(ipv4Header, header, frameOffsets.network),
    udp: cutFields(udpHeader, header, frameOffsets.transport),
    gbn: cutFields(gbnHeader, header, gbnOffset),
  };
}
type Headers = ReturnType<typeof headersOf>;

/** What the frame says that it is. */
function kindOf(io: GbnRxIo, p: GbnRxParameters, end: FrameEnd, { ethernet, ip, udp, gbn }: Headers) {
  const udpIp = node(ethernet.etherType.eq(etherType.ipv4).and(ip.protocol.eq(ipProtocol.udp)));
  const client = node(p.clientPorts > 65535 ? constant(1, 1) : udp.dstPort.sub(io.config.clientPort).lt(p.clientPorts));
  const ourPort = node(udp.dstPort.eq(io.config.nativePort).or(client));
  const answered = node(gbn.type.eq(gbnTypes.ack).or(gbn.type.eq(gbnTypes.nack)));
  const isData = node(gbn.type.eq(gbnTypes.data));
  // ACKs are never passed on, so their bytes are not kept; to other ports the node would drop them anyway.
  const discard = node(udpIp.and(answered).and(end.lastByte.ge(gbnOffset)));
  return { udpIp, ourPort, answered, isData, discard };
}

/** Whether it is a reply, or a request that is never answered. */
function silentOf(io: GbnRxIo, p: GbnRxParameters, { header }: FrameEnd, { udp }: Headers): Bit {
  const code = header.bits(8 * opcodeOffset, 8);
  const reply = isReply(
    {
      opcode: code,
      status: header.bits(8 * statusOffset, 4),
      size: cat(header.bits(8 * (sizeOffset + 1), 8), header.bits(8 * sizeOffset, 8)),
    },
    udp.srcPort,
    io.config,
    p.clientPorts,
    udp.dstPort.eq(io.config.nativePort),
  );
  return silentOpcodes.map((c): Bit => code.eq(c)).reduce((a, b) => a.or(b), reply);
}

/** Each rule of a packet to the node, in no order. */
function rulesOf(io: GbnRxIo, { ethernet, ip, udp }: Headers, kind: ReturnType<typeof kindOf>, past: Bit): UInt {
  const { config } = io;
  return cat(
    isNoSender(ethernet.src, config).or(isNoStation(ip.src, config)).not(),
    kind.udpIp,
    kind.ourPort,
    ip.version.eq(4).and(ip.ihl.eq(5)),
    ip.moreFragments.or(ip.fragmentOffset.any()).not(),
    ip.dst.eq(config.ip),
    ethernet.dst.eq(config.mac).or(config.acceptAnyMac),
    udp.length.eq(ip.totalLength.sub(ipv4Header.bytes)),
    past.not(),
    ip.totalLength.ge(ipv4Header.bytes + udpHeader.bytes),
  );
}

/** Judges the frame that ends. @returns a cycle later: what was found, and whether a frame has ended */
export function judge(io: GbnRxIo, p: GbnRxParameters, frames: InstanceOf<typeof GbnFrames>) {
  const { end } = frames,
    headers = headersOf(end),
    { ethernet, ip, udp, gbn } = headers;
  const kind = kindOf(io, p, end, headers),
    { answered, isData, discard } = kind;
  frames.discard.set(discard);
  const past = node(
    ip.totalLength
      .zext(17)
      .add(frameOffsets.network - 1)
      .gt(end.lastByte.zext(17)),
  );
  // In the order of PeerFields.
  const peer = cat(ethernet.src, udp.dstPort, ip.src, udp.srcPort, gbn.srcSlot);
  const silent = silentOf(io, p, end, headers);
  const judgedValid = reg(bit, { init: 0 });
  const judged = reg(Judged);
  judgedValid.set(frames.ends);
  const least = udpHeader.bytes + gbnBytes;
  judged.set({
    kept: end.stored.and(discard.or(end.bad).or(end.long).not()),
    bad: end.bad,
    long: end.long,
    stored: end.stored,
    ours: rulesOf(io, headers, kind, past).is(10),
    sumRight: checksumIsRight(end.header),
    data: isData,
    answered,
    nack: gbn.type.eq(gbnTypes.nack),
    management: gbn.dstSlot.eq(managementSlot).or(gbn.srcSlot.eq(managementSlot)),
    short: udp.length.lt(least).or(isData.and(udp.length.lt(least + clioHeader.bytes))),
    silent,
    session: gbn.dstSlot,
    sequence: gbn.sequence,
    peer: peer.is(wirePeer.identityBits + wirePeer.addressBits),
    ipLength: ip.totalLength,
    checksum: ip.checksum,
    udpLength: udp.length,
  });

  return { judged, judgedValid };
}
