import {
  arbiter, bit, cat, connect, demux, gate, instance, module, mux, node, orTree, output, reg, stage, uint, when, type Axi4Parameters,
} from "../../../../hdl-dsl/index.ts";
import { ConfigError, deriveConfig, ofPartition, partitionsOf, type NodeConfig, type Parameters } from "../../config/index.ts";
import { LiteBroadcast } from "../partition/lite-broadcast.ts";
import { ClioNode } from "./node.ts";
import { nodeBus, translateParameters } from "../ports/widths.ts";
import { framePorts, memoryPorts } from "../ports/node-ports.ts";
import { partitionBus, PartitionReads, PartitionWrites, type PartitionMemoryParameters } from "../partition/partition-memory.ts";
import { partitionOf } from "../partition/partition-of.ts";
import { PartitionRx } from "../partition/partition-rx.ts";
import { PartitionTx } from "../partition/partition-tx.ts";
import { burstWindow } from "../../../shared/axi/index.ts";

/** Bursts in each direction that memories take before they stall addresses, all partitions together. */
const bursts = 64;

/** @throws ConfigError when the build has no partitions */
const insideOf = (p: Parameters): NodeConfig => {
  if (partitionsOf(p) === 1) throw new ConfigError("partitions = 1 has no partitions; ClioNodePartitioned needs partitions = 2 or 4");
  return deriveConfig(ofPartition(p));
};
const memoryOf = (p: Parameters): PartitionMemoryParameters => {
  const c = insideOf(p), bus = nodeBus(c);
  // The longest access, from the last byte of a beat on; and a bucket of the page table is one beat.
  const beats = Math.ceil((c.maxData + c.beatBytes - 1) / c.beatBytes);
  return { ...bus, partitions: partitionsOf(p), bursts, burstBeats: Math.min(beats, burstWindow(c) / c.beatBytes) };
};
/** The shape of the AXI4 master: partitions are told apart by the upper bits of the ID. */
const busOf = (p: Parameters): Axi4Parameters => partitionBus(memoryOf(p));

/**
 * The memory node in partitions, whose processes do not change each other's timing: `partitions` nodes as they are, each with its share of slots, TLB entries, misses, sync lanes, fences and free pages
 * and with a retry buffer and queues of its own, so that within them nothing meets. They share the line and the memory:
 *
 * - `rx`: frames go by PID to queues of the partitions; `rx.ready` is always 1; a frame that finds no room is dropped (`dropped`, partition_rx.ts).
 * - `tx`, `mem_*`: fixed turns (partition_tx.ts, partition_memory.ts), in which whoever has nothing to send leaves them unused.
 * - `soc_rx`, `soc_tx`, `free_page`, `shootdown`: the software behind them is one for all, and its timing is not independent. Frames to it one after another in turn, those from it by their PID; free pages go to
 *   whoever's turn it is and has room; one shootdown at a time. A frame that waits for the software holds a slot of its own partition only.
 * - Registers as those of one node: written in all, counters are sums (lite_broadcast.ts).
 *
 * Claim: with a memory that answers a burst at a time that depends on that burst and the cycle alone, takes `bursts` without stalling, and with `tx` ready, each frame that leaves for a process leaves in a cycle that depends on the frames of its own
 * partition and when they came, as long as it meets no free-page buffer that has run dry. Latency: that of ClioNode, and 2 cycles on the way in, 3 at each access to memory and 2 on the way out, and at both until the partition's turn.
 */
export const ClioNodePartitioned = module("ClioNodePartitioned",
  (p: Parameters) => {
    const c = deriveConfig(p), w = busOf(p);
    return { ...framePorts(w), ...memoryPorts(c, w, translateParameters(c)), dropped: output(uint(partitionsOf(p))) };
  },
  (io, p) => {
    const n = partitionsOf(p), c = deriveConfig(p), each = <T>(f: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => f(i));
    const frame = { partitions: n, beatBytes: c.beatBytes, frameBytes: c.mtuFrame }, whose = Math.log2(n);
    const nodes = each(i => instance(`partition_${i}`, ClioNode(ofPartition(p))));
    type Inner = (typeof nodes)[number];
    const at = (i: number): Inner => nodes[i] as Inner;
    const parts = (of: unknown, name: string, i: number): never => (of as Readonly<Record<string, never>>)[`${name}_${i}`] as never;

    const rx = instance("rx", PartitionRx(frame)), tx = instance("tx", PartitionTx(frame));
    connect(io.rx, rx.rx);
    connect(tx.tx, io.tx);
    io.dropped.set(rx.dropped);
    const reads = instance("reads", PartitionReads(memoryOf(p))), writes = instance("writes", PartitionWrites(memoryOf(p)));
    connect(reads.ar, io.mem_ar); connect(io.mem_r, reads.r);
    connect(writes.aw, io.mem_aw); connect(writes.w, io.mem_w); connect(io.mem_b, writes.b);
    const registers = instance("registers", LiteBroadcast({ nodes: n }));
    connect(io.s_aw, registers.s_aw); connect(io.s_w, registers.s_w); connect(registers.s_b, io.s_b);
    connect(io.s_ar, registers.s_ar); connect(registers.s_r, io.s_r);
    nodes.forEach((inner, i) => {
      connect(parts(rx, "rx", i), inner.rx);
      connect(inner.tx, parts(tx, "tx", i));
      connect(inner.mem_ar, parts(reads, "ar", i)); connect(parts(reads, "r", i), inner.mem_r);
      connect(inner.mem_aw, parts(writes, "aw", i)); connect(inner.mem_w, parts(writes, "w", i)); connect(parts(writes, "b", i), inner.mem_b);
      connect(parts(registers, "to_aw", i), inner.s_aw); connect(parts(registers, "to_w", i), inner.s_w); connect(inner.s_b, parts(registers, "to_b", i));
      connect(parts(registers, "to_ar", i), inner.s_ar); connect(inner.s_r, parts(registers, "to_r", i));
    });

    // The slow path's frames.
    connect(arbiter(nodes.map((inner, i) => stage(inner.soc_rx, "full", { name: `soc_rx_${i}` })), { last: v => v.last, name: "to_software" }), io.soc_rx);
    const first = reg(bit, { init: 1 });
    const held = reg(uint(whose));
    const owner = node(mux(first, partitionOf(io.soc_tx.payload.data, n), held));
    when(io.soc_tx.fire, () => { first.set(io.soc_tx.payload.last); held.set(owner); });
    demux(io.soc_tx, owner, n, { name: "from_software" }).forEach((s, i) => { connect(s, at(i).soc_tx); });

    // Pages: every partition is asked in its cycle, and given one only when it has room: an offer stands until it is taken.
    const asked = reg(uint(whose), { init: 0 });
    asked.set(asked.add(1));
    nodes.forEach((inner, i) => {
      inner.free_page.valid.set(io.free_page.valid.and(asked.eq(i)).and(inner.free_page.ready));
      inner.free_page.payload.set(io.free_page.payload);
    });
    io.free_page.ready.set(orTree(each(i => asked.eq(i).and(at(i).free_page.ready))));
    const level = each(i => (at(i).free_pages).zext(io.free_pages.width)).reduce((a, b) => a.add(b));
    io.free_pages.set(level as never);
    io.low_water.set(orTree(each(i => at(i).low_water)));

    // Shootdowns: the next one when the one before is done.
    const shooting = reg(bit, { init: 0 });
    when(io.shootdown.fire, () => { shooting.set(1); }).elseWhen(io.shootdown_done.fire, () => { shooting.set(0); });
    const pages = gate(io.shootdown, shooting.not(), { name: "shootdown_open" });
    demux(pages, pages.payload.pid.trunc(whose), n, { name: "shootdown_to" }).forEach((s, i) => { connect(s as never, at(i).shootdown as never); });
    connect(arbiter(nodes.map(inner => inner.shootdown_done), { policy: "priority", name: "shot_down" }), io.shootdown_done);
    // Every partition's slots, the first one's too while something of it waits in what is shared.
    io.busy.set(cat(...each(k => n - 1 - k).map(i => at(i).busy.or(orTree([rx.waiting, tx.waiting, writes.waiting].map(w => w.bit(i))).zext(at(i).busy.width)))) as never);
  },
  { nameOf: p => ClioNode(ofPartition(p)).name.replace("ClioNode", "ClioNodePartitioned") + `_q${partitionsOf(p)}` });
