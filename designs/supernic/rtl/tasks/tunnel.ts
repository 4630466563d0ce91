import { bit, constant, module, mux, node, ram, struct, uint } from "../../../../hdl-dsl/index.ts";
import { type Declared, headerBytesFrom, tunnelBytes, tunnelPort, tunnelRow } from "../../wire/index.ts";
import { cutFields } from "../../../shared/frame/index.ts";
import { headerOffsets, ipProtocol, udpHeader } from "../../../shared/wire/index.ts";
import { type Task, taskPorts, TaskVerdict } from "./interface.ts";
import { ipBytes, ipOf } from "./ip.ts";
import { stages } from "./stages.ts";

const templates = 256,
  /** The VXLAN network identifier, and the flags in front of it. */
  vniAt = 46,
  flagsAt = 42;
const declared: Declared = {
  name: "tunnel",
  reads: ipBytes | headerBytesFrom(34, 15),
  writes: 0n,
  growth: 64,
  leavesOut: tunnelBytes,
  latency: 3,
  interval: 1,
  holds: 4,
  state: "none",
};
const Row = struct({ valid: bit, user: uint(6), opens: bit, bytes: uint(7), vni: uint(24) });

/**
 * VXLAN-like encapsulation (RFC 7348): `arg` names one of 255 rows, a template of the deparser. A row either puts its
 * template in front, or opens: a packet in VXLAN with the row's network loses its first 50 bytes; any other is dropped.
 * So is a packet whose row is of another user, of none, or 0. Latency 3, initiation interval 1. Behind it the inner
 * headers are in the payload: it is the last task of a pass. Reset: rows stay, and none is valid at first.
 */
const Tunnel = module("TunnelTask", taskPorts, io => {
  const { moves, later } = stages(io, 3),
    packet = io.packet.payload,
    ip = ipOf(packet),
    udp = cutFields(udpHeader, packet.header, headerOffsets.transport);
  const rows = ram(Row, { depth: templates, collision: "old", style: "block", init: [0] });
  const { valid, at, data } = io.config;
  rows.write(valid.and(at.lt(templates)), at.trunc(8), {
    valid: data.bit(tunnelRow.valid),
    opens: data.bit(tunnelRow.opens),
    user: data.bits(tunnelRow.user, 6),
    bytes: data.bits(tunnelRow.bytes, 7),
    vni: data.bits(tunnelRow.vni, 24),
  });
  // 1, 2: the row, and whether the packet is in VXLAN. 3: what becomes of it.
  const arg = later("arg", packet.arg),
    row = rows.readSync(arg, { en: moves, name: "row" });
  const byte = (i: number) => packet.header.bits(8 * i, 8);
  const isVxlan = node(
    ip.hasIp
      .andNot(packet.noL4)
      .and(ip.protocol.eq(ipProtocol.udp))
      .and(udp.dstPort.eq(tunnelPort))
      .and(byte(flagsAt).bit(3))
      .and(packet.headBytes.ge(tunnelBytes + 14)),
    { name: "is_vxlan" },
  );
  const vni = byte(vniAt)
    .zext(24)
    .shl(16)
    .or(
      byte(vniAt + 1)
        .zext(24)
        .shl(8),
    )
    .or(byte(vniAt + 2).zext(24));
  const inside = later("inside", isVxlan, 2),
    network = later("network", vni, 2),
    users = later("users", packet.user, 2),
    number = later("number", arg, 1);
  const ours = row.valid.and(row.user.eq(users)).and(number.any()),
    opened = inside.and(network.eq(row.vni));
  const verdict = node(ours.and(mux(row.opens, opened, row.bytes.any())), { name: "goes_on" });
  const goes = later("goes", verdict),
    puts = later("puts", verdict.andNot(row.opens)),
    bytes = later("bytes", row.bytes),
    template = later("template", number);
  io.answer.payload.set({
    tag: later("tags", packet.tag, 3, true),
    verdict: mux(goes, TaskVerdict.forward, TaskVerdict.drop),
    header: 0,
    mask: 0,
    prepend: mux(puts, template, 0),
    frontBytes: mux(puts, bytes, 0),
    dropFront: mux(goes.andNot(puts), constant(tunnelBytes, 7), 0),
  });
});
export const tunnel: Task = { declared, hardware: Tunnel() };
