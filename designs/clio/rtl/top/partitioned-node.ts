import {
  arbiter,
  type Axi4Parameters,
  bit,
  cat,
  connect,
  demux,
  gate,
  instance,
  module,
  mux,
  node,
  orTree,
  output,
  portOf,
  reg,
  stage,
  uint,
  when,
} from "../../../../hdl-dsl/index.ts";
import {
  ConfigError,
  deriveConfig,
  type NodeConfig,
  ofPartition,
  type Parameters,
  partitionsOf,
} from "../../config/index.ts";
import { LiteBroadcast } from "../partition/lite-broadcast.ts";
import { ClioNode } from "./node.ts";
import { nodeBus, translateParameters } from "../ports/widths.ts";
import { framePorts, memoryPorts } from "../ports/node-ports.ts";
import {
  partitionBus,
  type PartitionMemoryParameters,
  PartitionReads,
  PartitionWrites,
} from "../partition/partition-memory.ts";
import { partitionOf } from "../partition/partition-of.ts";
import { PartitionRx } from "../partition/partition-rx.ts";
import { PartitionTx } from "../partition/partition-tx.ts";
import { burstWindow } from "../../../shared/axi/index.ts";

/** Bursts in each direction that memories take before they stall addresses, all partitions together. */
const bursts = 64;

/** @throws ConfigError when the build has no partitions */
const insideOf = (p: Parameters): NodeConfig => {
  if (partitionsOf(p) === 1)
    throw new ConfigError("partitions = 1 has no partitions; ClioNodePartitioned needs partitions = 2 or 4");
  return deriveConfig(ofPartition(p));
};
const memoryOf = (p: Parameters): PartitionMemoryParameters => {
  const c = insideOf(p),
    bus = nodeBus(c);
  // The longest access, from the last byte of a beat on; and a bucket of the page table is one beat.
  const beats = Math.ceil((c.maxData + c.beatBytes - 1) / c.beatBytes);
  return { ...bus, partitions: partitionsOf(p), bursts, burstBeats: Math.min(beats, burstWindow(c) / c.beatBytes) };
};
/** The shape of the AXI4 master: the upper bits of the ID are the partition. */
const busOf = (p: Parameters): Axi4Parameters => partitionBus(memoryOf(p));

/**
 * The memory node in partitions, whose processes do not change each other's timing: `partitions` nodes as they are.
 * Each has its share of slots, TLB entries, misses, sync lanes, fences and free pages. Each has a retry buffer and
 * queues of its own, so that within the nodes nothing meets. The partitions share the line and the memory:
 *
 * - `rx`: frames go by PID to queues of the partitions; `rx.ready` is always 1; a frame that finds no room is
 *   dropped (`dropped`, partition-rx.ts).
 * - `tx`, `mem_*`: fixed turns (partition-tx.ts, partition-memory.ts). A partition with nothing to send leaves
 *   its turn unused.
 * - `soc_rx`, `soc_tx`, `free_page`, `shootdown`: the software behind them is one for all, and its timing is not
 *   independent. Frames to the software go one after another in turn, those from it by their PID. A free page goes to
 *   the partition whose turn it is, if it has room. One shootdown is under way at a time. A frame that waits for the
 *   software holds a slot of its own partition only.
 * - Registers as those of one node: written in all, counters are sums (lite-broadcast.ts).
 *
 * Claim: each frame that leaves for a process leaves in a cycle that depends on its own partition's frames and their
 * arrival alone. The memory must answer a burst at a time that depends on that burst and the cycle alone, and take
 * `bursts` without stalling. `tx` must be ready, and the frame must meet no free-page buffer that has run dry. Latency:
 * that of ClioNode, and 2 cycles on the way in, 3 at each access to memory and 2 on the way out. At memory and on the
 * way out the wait for the partition's turn is added.
 */
export const ClioNodePartitioned = module(
  "ClioNodePartitioned",
  (p: Parameters) => {
    const c = deriveConfig(p),
      w = busOf(p);
    return { ...framePorts(w), ...memoryPorts(c, w, translateParameters(c)), dropped: output(uint(partitionsOf(p))) };
  },
  (io, p) => {
    const n = partitionsOf(p),
      c = deriveConfig(p),
      each = <T>(f: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => f(i));
    const frame = { partitions: n, beatBytes: c.beatBytes, frameBytes: c.mtuFrame },
      whose = Math.log2(n);
    const nodes = each(i => instance(`partition_${i}`, ClioNode(ofPartition(p))));
    type Inner = (typeof nodes)[number];
    const at = (i: number): Inner => nodes[i] as Inner;

    const rx = instance("rx", PartitionRx(frame)),
      tx = instance("tx", PartitionTx(frame));
    connect(io.rx, rx.rx);
    connect(tx.tx, io.tx);
    io.dropped.set(rx.dropped);
    const reads = instance("reads", PartitionReads(memoryOf(p))),
      writes = instance("writes", PartitionWrites(memoryOf(p)));
    connect(reads.ar, io.memAr);
    connect(io.memR, reads.r);
    connect(writes.aw, io.memAw);
    connect(writes.w, io.memW);
    connect(io.memB, writes.b);
    const registers = instance("registers", LiteBroadcast({ nodes: n }));
    connect(io.sAw, registers.sAw);
    connect(io.sW, registers.sW);
    connect(registers.sB, io.sB);
    connect(io.sAr, registers.sAr);
    connect(registers.sR, io.sR);
    nodes.forEach((inner, i) => {
      connect(portOf(rx, "rx", i), inner.rx);
      connect(inner.tx, portOf(tx, "tx", i));
      connect(inner.memAr, portOf(reads, "ar", i));
      connect(portOf(reads, "r", i), inner.memR);
      connect(inner.memAw, portOf(writes, "aw", i));
      connect(inner.memW, portOf(writes, "w", i));
      connect(portOf(writes, "b", i), inner.memB);
      connect(portOf(registers, "toAw", i), inner.sAw);
      connect(portOf(registers, "toW", i), inner.sW);
      connect(inner.sB, portOf(registers, "toB", i));
      connect(portOf(registers, "toAr", i), inner.sAr);
      connect(inner.sR, portOf(registers, "toR", i));
    });

    // The slow path's frames.
    connect(
      arbiter(
        nodes.map((inner, i) => stage(inner.socRx, "full", { name: `soc_rx_${i}` })),
        { last: v => v.last, name: "to_software" },
      ),
      io.socRx,
    );
    const first = reg(bit, { init: 1 });
    const held = reg(uint(whose));
    const owner = node(mux(first, partitionOf(io.socTx.payload.data, n), held));
    when(io.socTx.fire, () => {
      first.set(io.socTx.payload.last);
      held.set(owner);
    });
    demux(io.socTx, owner, n, { name: "from_software" }).forEach((s, i) => connect(s, at(i).socTx));

    // Pages: every partition is asked in its cycle, and given one only when it has room: an offer stands until
    // it is taken.
    const asked = reg(uint(whose), { init: 0 });
    asked.set(asked.add(1));
    nodes.forEach((inner, i) => {
      inner.freePage.valid.set(io.freePage.valid.and(asked.eq(i)).and(inner.freePage.ready));
      inner.freePage.payload.set(io.freePage.payload);
    });
    io.freePage.ready.set(orTree(each(i => asked.eq(i).and(at(i).freePage.ready))));
    const level = each(i => at(i).freePages.zext(io.freePages.width)).reduce((a, b) => a.add(b));
    io.freePages.set(level);
    io.lowWater.set(orTree(each(i => at(i).lowWater)));

    // Shootdowns: the next one when the one before is done.
    const shooting = reg(bit, { init: 0 });
    when(io.shootdown.fire, () => shooting.set(1)).elseWhen(io.shootdownDone.fire, () => shooting.set(0));
    const pages = gate(io.shootdown, shooting.not(), { name: "shootdown_open" });
    demux(pages, pages.payload.pid.trunc(whose), n, { name: "shootdown_to" }).forEach((s, i) =>
      connect(s, at(i).shootdown),
    );
    connect(
      arbiter(
        nodes.map(inner => inner.shootdownDone),
        { policy: "priority", name: "shot_down" },
      ),
      io.shootdownDone,
    );
    // Every partition's slots, the first one's too while something of it waits in what is shared.
    io.busy.set(
      cat(
        ...each(k => n - 1 - k).map(i =>
          at(i).busy.or(orTree([rx.waiting, tx.waiting, writes.waiting].map(w => w.bit(i))).zext(at(i).busy.width)),
        ),
      ),
    );
  },
  { nameOf: p => ClioNode(ofPartition(p)).name.replace("ClioNode", "ClioNodePartitioned") + `_q${partitionsOf(p)}` },
);
