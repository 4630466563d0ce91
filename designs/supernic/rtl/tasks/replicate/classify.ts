/** What a packet is to replication. Two stages: what its header says, then which node of its group it names. */
import { type Bit, cat, constant, fromBits, mux, node, type UInt, type Val } from "../../../../../hdl-dsl/index.ts";
import { ipProtocol } from "../../../../shared/wire/index.ts";
import { kvNodePort, replicaAt, replicaBeats, writeNoReply } from "../../../wire/index.ts";
import type { TaskPacket } from "../interface.ts";
import { ipOf, wordAt } from "../ip.ts";
import { changeOf } from "../translate.ts";
import { maskOf, onWire } from "./groups.ts";
import type { FirstLook, GroupRow, NodeRow } from "./records.ts";

const at = { srcPort: 34, dstPort: 36, opcode: 45, flags: 46, request: 50 } as const;
const beatBytes = 64,
  flag = { replicate: 5, tracked: 6 } as const;
const bytes = (header: UInt, from: number, count: number): UInt => header.bits(8 * from, 8 * count);
export const halves = (ip: UInt): readonly [UInt, UInt] => [ip.bits(16, 16), ip.bits(0, 16)];

/** By the header alone. */
export function firstLook(packet: Val<typeof TaskPacket>) {
  const { header } = packet,
    ip = ipOf(packet),
    udp = node(ip.hasIp.and(ip.protocol.eq(ipProtocol.udp)).andNot(packet.noL4), { name: "is_udp" }),
    replicates = node(header.bit(8 * at.flags + flag.replicate), { name: "wants_copies" }),
    fits = packet.payloadBytes.le(replicaBeats * beatBytes);
  return {
    // Clio's header, as far as its status and flags.
    toNode: node(udp.and(replicates).and(wordAt(header, at.dstPort).eq(kvNodePort)), { name: "to_native" }),
    fromNode: node(udp.and(replicates).and(wordAt(header, at.srcPort).eq(kvNodePort)), { name: "from_native" }),
    /** It can be waited for, and there is room for it. */
    possible: node(
      header
        .bit(8 * at.flags + flag.tracked)
        .and(fits)
        .and(packet.headBytes.ge(58))
        .andNot(bytes(header, at.opcode, 1).eq(writeNoReply)),
      { name: "is_possible" },
    ),
    src: ip.src,
    dst: ip.dst,
  };
}
/** Beside the nodes of its group. @param first what the stage before has found */
export function secondLook(
  packet: Val<typeof TaskPacket>,
  first: Val<typeof FirstLook>,
  nodes: readonly Val<typeof NodeRow>[],
  row: Val<typeof GroupRow>,
) {
  const ours = node(packet.user.eq(row.user).and(row.nodes.any()), { name: "is_ours" }),
    asked = maskOf(row.nodes),
    from = fromBits(nodes.map((n, i) => asked.bit(i).and(first.src.eq(n.ip)).and(packet.ingress.eq(n.port)))),
    known = node(from.any().and(ours), { name: "from_group" }),
    [primary] = nodes,
    primaryIp = primary?.ip ?? constant(0, 32);
  const isReply = node(first.fromNode.and(known), { name: "is_reply_now" });
  const look = {
    from: from.is(4),
    nodes: row.nodes,
    isReply,
    isRequest: node(first.toNode.andNot(isReply), { name: "is_request_now" }),
    accepted: node(first.possible.and(ours).and(first.dst.eq(primaryIp)), { name: "is_accepted_now" }),
    mac: onWire(primary?.mac ?? constant(0, 48)).is(48),
    ip: onWire(primaryIp).is(32),
  };
  return { look, change: changeOf(halves(first.src), halves(primaryIp)).is(20) };
}
/** Who waits for it, as it stands on the wire: of a reply, whoever gets it. */
export function keyOf(header: UInt, isReply: Bit): UInt {
  const ip = mux(isReply, bytes(header, replicaAt.dst, 4), bytes(header, replicaAt.src, 4)),
    port = mux(isReply, bytes(header, at.dstPort, 2), bytes(header, at.srcPort, 2));
  return cat(bytes(header, at.request, 4), port, ip);
}
export const statusOf = (header: UInt): { readonly status: UInt; readonly flags: UInt } => ({
  status: header.bits(8 * at.flags, 4),
  flags: header.bits(8 * at.flags + 4, 4),
});
export const ipSumOf = (header: UInt): UInt => wordAt(header, replicaAt.ipSum);
