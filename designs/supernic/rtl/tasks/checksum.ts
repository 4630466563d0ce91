import { constant, module, mux, node, priority, type UInt } from "../../../../hdl-dsl/index.ts";
import { type Declared, headerBytesFrom } from "../../wire/index.ts";
import { noFront, type Task, taskPorts, TaskVerdict } from "./interface.ts";
import { ipBytes, ipOf, swapped, wordAt } from "./ip.ts";
import { stages } from "./stages.ts";

const checksumAt = 24;
const declared: Declared = {
  name: "checksum",
  reads: ipBytes,
  writes: headerBytesFrom(checksumAt, 2),
  growth: 0,
  leavesOut: 0,
  latency: 3,
  interval: 1,
  holds: 4,
  state: "none",
};
const sum = (a: UInt, b: UInt): UInt => a.zext(a.width + 1).add(b.zext(a.width + 1));

/**
 * The checksum of IPv4 headers without options: `arg` 0 drops packets with a wrong one, `arg` bit 0 writes the right
 * one. Others go on as they are, or with `arg` bit 1 are dropped. Latency 3, initiation interval 1. A checksum of
 * 0xFFFF is right where 0 is: in ones' complement they are the same (RFC 1071).
 */
const Checksum = module("ChecksumTask", taskPorts, io => {
  const { later } = stages(io, 3),
    { header, tag, arg } = io.packet.payload;
  const { hasIp } = ipOf(io.packet.payload);
  // 1: nine words, without the checksum itself, in three sums.
  const words = Array.from({ length: 10 }, (_, i) => wordAt(header, 14 + 2 * i)).filter((_, i) => i !== 5),
    of = (i: number): UInt => words[i] ?? (words[0] as UInt);
  const thirds = [0, 3, 6].map((i, k) => later(`third_${k}`, sum(sum(of(i), of(i + 1)), of(i + 2).zext(17))));
  const [a, b, c] = thirds as [UInt, UInt, UInt];
  // 2: one sum, its carries added below. 3: the last carry.
  const whole = sum(sum(a, b), c.zext(c.width + 1)),
    folded = later("folded", whole.trunc(16).zext(17).add(whole.shr(16).resize(17)));
  const total = node(folded.trunc(16).add(folded.bit(16).zext(16)), { name: "total" }),
    right = later("right", total.not());
  const had = later("had", wordAt(header, checksumAt), 3),
    isIp = later("is_ip", hasIp, 3),
    args = later("args", arg.trunc(2), 3),
    same = had.eq(right).or(right.any().not().and(had.all()));
  const writes = isIp.and(args.bit(0));
  io.answer.payload.set({
    tag: later("tags", tag, 3, true),
    verdict: priority(
      [isIp.not().and(args.bit(1)), TaskVerdict.drop],
      [isIp.and(args.bit(0).not()).andNot(same), TaskVerdict.drop],
      TaskVerdict.forward,
    ),
    header: swapped(right)
      .zext(512)
      .shl(8 * checksumAt),
    mask: mux(writes, constant(3n << BigInt(checksumAt), 64), 0),
    ...noFront,
  });
});
export const checksum: Task = { declared, hardware: Checksum() };
