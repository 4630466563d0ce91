/** What a packet is to the sessions. Two steps: what its header says, a rule a bit; then what follows from all. */
import {
  type Bit,
  cat,
  constant,
  fromBits,
  literalOf,
  mux,
  node,
  type UInt,
  type Val,
} from "../../../../../hdl-dsl/index.ts";
import { changedChecksum, cutFields } from "../../../../shared/frame/index.ts";
import { gbnBytes, gbnEnd, gbnOffset, tagPrefix, wireSlotBits } from "../../../../shared/go-back-n/rtl/index.ts";
import { gbnHeader, gbnTypes, managementSlot } from "../../../../shared/go-back-n/wire/index.ts";
import { ethernetHeader, headerOffsets, ipProtocol, ipv4Header, udpHeader } from "../../../../shared/wire/index.ts";
import { gbnFrameBytes, gbnLifeBits, gbnManage, kvNodePort } from "../../../wire/index.ts";
import type { TaskPacket } from "../interface.ts";
import { ipOf, swapped } from "../ip.ts";
import type { Nodes } from "./nodes.ts";
import { Looked, nodeBits, Sorted } from "./records.ts";

/** Bytes of Clio's header, and where its opcode stands in it. */
export const clio = { bytes: 16, opcode: 3, status: 4 } as const;
/** Bytes from the IPv4 header on of a request that is answered here. */
const manageBytes = ipv4Header.bytes + udpHeader.bytes + gbnBytes + clio.bytes + 4;

export const headersOf = (header: UInt) => ({
  ethernet: cutFields(ethernetHeader, header),
  ip: cutFields(ipv4Header, header, headerOffsets.network),
  udp: cutFields(udpHeader, header, headerOffsets.transport),
  gbn: cutFields(gbnHeader, header, gbnOffset),
});
/** The session and the life that a reply's receiver names; the highest bits say that it is such a name. */
export function tagOf(mac: UInt) {
  const above = mac.bits(wireSlotBits, 16 - wireSlotBits);
  return {
    session: mac.bits(0, wireSlotBits),
    life: mac.bits(16, gbnLifeBits),
    is: mac
      .bits(16 + gbnLifeBits, 48 - 16 - gbnLifeBits)
      .eq(tagPrefix)
      .andNot(above.any()),
  };
}

export function look(packet: Val<typeof TaskPacket>, nodes: Nodes, sessions: number): Val<typeof Looked> {
  const { header, headBytes, payloadBytes } = packet,
    { hasIp } = ipOf(packet),
    { ethernet, ip, udp, gbn } = headersOf(header),
    tag = tagOf(ethernet.dst),
    opcode = header.bits(8 * (gbnEnd + clio.opcode), 8),
    bytes = payloadBytes.zext(17).add(headBytes.zext(17)),
    high = Math.log2(sessions);
  const slotIn = (slot: UInt): Bit => (high === wireSlotBits ? slot.ge(0) : slot.shr(high).any().not());
  return literalOf(Looked, {
    ...{ tag: packet.tag, header, headBytes, payloadBytes, ingress: packet.ingress.resize(4), node: 0 },
    udp: hasIp.and(ip.protocol.eq(ipProtocol.udp)).andNot(packet.noL4),
    toPort: udp.dstPort.eq(kvNodePort),
    fromPort: udp.srcPort.eq(kvNodePort),
    to: fromBits(nodes.map(n => n.valid.and(ip.dst.eq(n.ip)))).is(nodes.length),
    mine: fromBits(nodes.map(n => packet.user.eq(n.user))).is(nodes.length),
    from: fromBits(nodes.map(n => n.valid.and(ip.src.eq(n.ip)).and(packet.ingress.eq(n.port)))).is(nodes.length),
    tagged: tag.is.and(slotIn(tag.session)),
    // The lengths agree, and the frame has what they say.
    whole: udp.length
      .add(ipv4Header.bytes)
      .eq(ip.totalLength)
      .and(bytes.ge(ip.totalLength.zext(17).add(headerOffsets.network)))
      .and(udp.length.ge(udpHeader.bytes + gbnBytes)),
    data: gbn.type.eq(gbnTypes.data).and(udp.length.ge(udpHeader.bytes + gbnBytes + clio.bytes)),
    answer: gbn.type.eq(gbnTypes.ack).or(gbn.type.eq(gbnTypes.nack)),
    known: gbn.dstSlot.ne(managementSlot).and(slotIn(gbn.dstSlot)),
    manages: gbn.dstSlot
      .eq(managementSlot)
      .and(gbn.srcSlot.ne(managementSlot))
      .and(opcode.eq(gbnManage.open).or(opcode.eq(gbnManage.close)))
      .and(ip.totalLength.eq(manageBytes)),
    fits: bytes.le(gbnFrameBytes - gbnBytes),
  });
}
const indexOf = (bits: UInt): UInt =>
  fromBits(
    Array.from({ length: nodeBits }, (_, b) =>
      Array.from({ length: bits.width }, (_, i) => i)
        .filter(i => ((i >> b) & 1) === 1)
        .map((i): Bit => bits.bit(i))
        .reduce((x, y) => x.or(y)),
    ),
  ).is(nodeBits);
/** `header` with 16 bits of others from byte `at` on. */
const withWord = (header: UInt, at: number, word: UInt): UInt =>
  cat(header.bits(8 * at + 16, header.width - 8 * at - 16), word, header.bits(0, 8 * at));

/** With its lengths and its checksum as they are without the 8 bytes: only what goes on without them has its own. */
function shorter(header: UInt, on: Bit): UInt {
  const { ip, udp } = headersOf(header),
    inIp = ipv4Header.at,
    inUdp = udpHeader.at;
  const words: readonly (readonly [number, UInt])[] = [
    [headerOffsets.network + inIp.totalLength.byteOffset, swapped(ip.totalLength.sub(gbnBytes))],
    [headerOffsets.network + inIp.checksum.byteOffset, swapped(changedChecksum(ip.checksum, -gbnBytes))],
    [headerOffsets.transport + inUdp.length.byteOffset, swapped(udp.length.sub(gbnBytes))],
    [headerOffsets.transport + inUdp.checksum.byteOffset, constant(0, 16)],
  ];
  return words.reduce((h, [where, word]) => withWord(h, where, mux(on, word, header.bits(8 * where, 16))), header);
}

/** `header`: as it is when it goes on; it waits elsewhere. */
export function sort(l: Val<typeof Looked>): { readonly sorted: Val<typeof Sorted>; readonly header: UInt } {
  const fromNode = node(l.udp.and(l.fromPort).and(l.from.any()), { name: "from_node" }),
    toNode = node(l.udp.and(l.toPort).and(l.to.any()).andNot(fromNode), { name: "to_node" }),
    good = node(toNode.and(l.to.and(l.mine).any()).and(l.whole), { name: "is_good" }),
    session = node(good.and(l.known).and(l.data.or(l.answer)), { name: "is_session" }),
    manages = node(good.and(l.manages).and(l.data), { name: "is_management" }),
    reply = node(fromNode.and(l.tagged), { name: "is_reply" }),
    takes = node(reply.and(l.from.and(l.mine).any()).and(l.fits), { name: "takes_reply" });
  const { ethernet, ip, udp, gbn } = headersOf(l.header),
    says = { mac: ethernet.src, ip: ip.src, port: udp.srcPort, nack: gbn.type.eq(gbnTypes.nack) };
  const sorted = literalOf(Sorted, {
    ...{ tag: l.tag, headBytes: l.headBytes, payloadBytes: l.payloadBytes, ingress: l.ingress },
    says: { ...says, sequence: gbn.sequence, srcSlot: gbn.srcSlot, dstSlot: gbn.dstSlot },
    node: indexOf(mux(fromNode, l.from, l.to)),
    session,
    control: l.answer,
    manages,
    reply: takes,
    lost: toNode.andNot(session.or(manages)).or(reply.andNot(takes)),
  });
  return { sorted, header: shorter(l.header, session) };
}
