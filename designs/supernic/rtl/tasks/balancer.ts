import { bit, decode, module, mux, node, ram, struct, uint, type UInt } from "../../../../hdl-dsl/index.ts";
import { balancerRow, type Declared, headerBytesFrom } from "../../wire/index.ts";
import { noFront, type Task, taskPorts, TaskVerdict } from "./interface.ts";
import { stages } from "./stages.ts";

const buckets = 256;
const declared: Declared = {
  name: "balancer",
  reads: 0n,
  writes: headerBytesFrom(0, 6),
  growth: 0,
  leavesOut: 0,
  latency: 3,
  interval: 1,
  holds: 4,
  state: "none",
};
const Row = struct({ valid: bit, user: uint(6), mac: uint(48) });

/**
 * A load balancer that leaves addresses alone and sends by MAC: the packet's bucket, chosen by its flow's hash, tells
 * the MAC of its backend. `arg`: bits 0 to 2 say how many buckets, 2 to 256, bits 3 to 7 which is the first, times 8.
 * A packet whose bucket is of another user, or of none, is dropped. So a flow keeps its backend until software changes
 * the bucket. Latency 3, initiation interval 1. Reset: the buckets stay as they are, and none is valid at first.
 */
const Balancer = module("BalancerTask", taskPorts, io => {
  const { moves, later } = stages(io, 3),
    { tag, arg, user, flowHash } = io.packet.payload;
  const rows = ram(Row, { depth: buckets, collision: "old", style: "block", init: [0] });
  const { valid, at, data } = io.config;
  rows.write(valid.and(at.lt(buckets)), at.trunc(8), {
    valid: data.bit(balancerRow.valid),
    user: data.bits(balancerRow.user, 6),
    mac: data.bits(balancerRow.mac, 48),
  });
  // 1: the bucket. 2: its row. 3: what it says.
  const size = arg.trunc(3),
    within = decode(size, 8),
    // As many low bits as the group has.
    bits = Array.from({ length: 8 }, (_, i): UInt =>
      i === 0 ? flowHash.bit(0) : flowHash.bit(i).and(within.shr(i).any()),
    );
  const low = bits.reduceRight((sum: UInt, b) => sum.zext(8).shl(1).or(b.zext(8)), flowHash.bit(0).and(0)),
    bucket = later("bucket", low.is(8).add(arg.bits(3, 5).zext(8).shl(3)));
  const row = rows.readSync(bucket, { en: moves, name: "row" });
  const users = later("users", user, 2),
    ours = later("ours", node(row.valid.and(row.user.eq(users)))),
    mac = later("mac", row.mac);
  const bytes = Array.from({ length: 6 }, (_, i) =>
    mac
      .bits(40 - 8 * i, 8)
      .zext(512)
      .shl(8 * i),
  );
  io.answer.payload.set({
    tag: later("tags", tag, 3, true),
    verdict: mux(ours, TaskVerdict.forward, TaskVerdict.drop),
    header: bytes.reduce((a, b) => a.or(b)),
    mask: 0x3f,
    ...noFront,
  });
});
export const balancer: Task = { declared, hardware: Balancer() };
