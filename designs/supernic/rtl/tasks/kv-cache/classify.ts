/** What a packet is to the KV cache, by its header. Wires only. */
import { type Bit, cat, node, type UInt, type Val } from "../../../../../hdl-dsl/index.ts";
import { ipProtocol } from "../../../../shared/wire/index.ts";
import { kvKept, kvNodePort, kvOpcode, kvOthers, kvReply, kvRow, kvSettled } from "../../../wire/index.ts";
import type { TaskPacket } from "../interface.ts";
import { ipOf, swapped, wordAt } from "../ip.ts";

type Packet = Val<typeof TaskPacket>;
/** First bytes of what is looked at. */
const at = { src: 26, dst: 30, srcPort: 34, dstPort: 36, clio: 42, body: 58, key: 62 } as const;
/** Bytes of the headers from IPv4 on, of Clio's, and of a request for a value in front of its key's end. */
const headers = { ip: 28, clio: 16, kv: 12, kvReply: 4 } as const;

/** Fields of the header that are used behind this, as they stand on the wire. */
export function fieldsOf(header: UInt) {
  const bytes = (from: number, count: number): UInt => header.bits(8 * from, 8 * count);
  return {
    macs: bytes(0, 12),
    src: bytes(at.src, 4),
    dst: bytes(at.dst, 4),
    srcPort: bytes(at.srcPort, 2),
    dstPort: bytes(at.dstPort, 2),
    pid: bytes(at.clio, 2),
    tag: bytes(at.clio + 2, 1),
    opcode: bytes(at.clio + 3, 1),
    status: header.bits(8 * (at.clio + 4), 4),
    flags: header.bits(8 * (at.clio + 4) + 4, 4),
    seq: bytes(at.clio + 5, 1),
    size: bytes(at.clio + 6, 2),
    request: bytes(at.clio + 8, 4),
    ids: bytes(at.clio + 8, 8),
    user: bytes(at.body, 1),
    keySize: bytes(at.body + 1, 1),
    valueSize: bytes(at.body + 2, 2),
    keyLow: bytes(at.key, 2),
  };
}
const either = (opcode: UInt, ...of: readonly number[]): Bit => of.map(o => opcode.eq(o)).reduce((a, b) => a.or(b));
/** An address as it stands on the wire, of a number. */
const onWire = (ip: UInt): UInt => cat(swapped(ip.bits(0, 16)), swapped(ip.bits(16, 16)));

/** @param row of the node, as it was configured */
export function classify(packet: Packet, row: UInt) {
  const f = fieldsOf(packet.header),
    ip = ipOf(packet),
    nodeIp = onWire(row.bits(kvRow.ip, 32)),
    whole = node(packet.headBytes.eq(64), { name: "whole_header" });
  const udp = node(ip.hasIp.and(ip.protocol.eq(ipProtocol.udp)).andNot(packet.noL4), { name: "is_udp" }),
    ours = node(packet.user.eq(row.bits(kvRow.user, 6)).and(row.bit(kvRow.valid)), { name: "is_ours" }),
    toNode = node(udp.and(f.dst.eq(nodeIp)), { name: "to_node" }),
    fromNode = node(udp.and(f.src.eq(nodeIp)).and(packet.ingress.eq(row.bits(kvRow.port, 4))), { name: "from_node" });
  const native = node(wordAt(packet.header, at.dstPort).eq(kvNodePort), { name: "to_native" }),
    asks = node(toNode.and(native), { name: "asks_node" }),
    answers = node(fromNode.and(wordAt(packet.header, at.srcPort).eq(kvNodePort)), { name: "node_answers" });
  // What says of itself that it is longer or shorter is not for the cache: the node sees to it.
  const total = wordAt(packet.header, 16),
    keyed = f.keySize.eq(8),
    asksRead = node(
      total
        .eq(headers.ip + headers.clio + headers.kv)
        .and(f.size.eq(headers.clio + headers.kv))
        .and(keyed),
      { name: "read_fits" },
    ),
    readPayload = node(packet.payloadBytes.eq(6).and(whole), { name: "read_payload_fits" }),
    someKey = node(packet.payloadBytes.ge(6).and(whole), { name: "has_key" });
  const { valueSize: value } = f,
    wide = (n: UInt): UInt => n.zext(17),
    replyLength = node(
      wide(total)
        .eq(wide(value).add(headers.ip + headers.clio + headers.kvReply))
        .and(wide(f.size).eq(wide(value).add(headers.clio + headers.kvReply))),
      { name: "reply_length_fits" },
    ),
    replyPayload = node(wide(packet.payloadBytes).add(2).eq(wide(value)).and(whole).and(keyed), {
      name: "reply_payload_fits",
    }),
    kept = node(value.ge(kvKept.least).and(value.le(kvKept.most)), { name: "value_fits" });
  const write = node(either(f.opcode, kvOpcode.create, kvOpcode.update, kvOpcode.delete), { name: "op_write" }),
    others = node(f.opcode.ge(kvOthers.first).and(f.opcode.le(kvOthers.last)), { name: "op_others" }),
    wrote = node(either(f.opcode, kvReply(kvOpcode.create), kvReply(kvOpcode.update), kvReply(kvOpcode.delete)), {
      name: "op_wrote",
    });
  return {
    ours,
    read: asks.and(f.opcode.eq(kvOpcode.read)).and(asksRead).and(readPayload),
    write: asks.and(write).and(someKey),
    /** Nobody knows what it does to keys. */
    unknown: toNode.and(native.not().or(others).or(write.andNot(someKey))),
    readReply: answers.and(f.opcode.eq(kvReply(kvOpcode.read))),
    writeReply: answers.and(wrote),
    tracked: f.flags.bit(2),
    settled: either(f.status, kvSettled.ok, kvSettled.fail),
    fits: replyLength.and(replyPayload).and(kept).andNot(f.status.any()),
  };
}
