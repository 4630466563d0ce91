import {
  arrayOf,
  assertAlways,
  assignView,
  atMostOne,
  axi4Address,
  type Axi4Parameters,
  axi4Read,
  axi4Response,
  axi4Write,
  bitsFor,
  cat,
  connect,
  constant,
  Fifo,
  fifo,
  fromBits,
  instance,
  map,
  mergePorts,
  module,
  mux,
  node,
  onehotMux,
  orTree,
  output,
  PacketFifo,
  portArray,
  portOf,
  reg,
  sink,
  source,
  stage,
  stream,
  uint,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";
import { turns } from "../../../shared/stream/index.ts";

export interface PartitionMemoryParameters extends Axi4Parameters {
  readonly partitions: number;
  /** Beats of the longest burst. */
  readonly burstBeats: number;
  /**
   * Bursts in each direction that the memory takes without stalling its addresses: each partition has its share of them
   * under way at most.
   */
  readonly bursts: number;
  /**
   * Read beats that a partition may have under way or waiting for its node, when not four turns of them (128 at least).
   */
  readonly readBeats?: number;
}
/** The master's bus: the partition's number stands above the ID that the partition gave. */
export const partitionBus = (p: Axi4Parameters & { readonly partitions: number }): Axi4Parameters => ({
  addressBits: p.addressBits,
  beatBytes: p.beatBytes,
  idBits: p.idBits + Math.log2(p.partitions),
});
/** Cycles of a turn: the longest burst, and two more for a write's. */
export const memoryTurn = (p: Pick<PartitionMemoryParameters, "burstBeats">): number =>
  2 ** Math.ceil(Math.log2(p.burstBeats + 2));
const readBeats = (p: PartitionMemoryParameters): number => p.readBeats ?? Math.max(128, 4 * memoryTurn(p));
/** Addresses that wait in front of a partition's turn. */
const waiting = 4;

const owned = (i: number, id: UInt, bits: number): UInt => cat(constant(i, bits), id);
const ownerOf = (id: UInt, bits: number): UInt => id.bits(id.width - bits, bits);

/** Bursts of a partition that are under way. */
function underWay(
  name: string,
  most: number,
): { readonly room: UInt<1>; some(): UInt<1>; changes(begins: UInt<1>, ends: UInt<1>): void } {
  const count = reg(uint(bitsFor(most)), { init: 0, name: `${name}_under_way` });
  return {
    room: node(count.ne(most), { name: `${name}_room` }),
    some: () => count.any(),
    changes: (begins, ends) =>
      when(begins.and(ends.not()), () => count.set(count.add(1))).elseWhen(ends.and(begins.not()), () =>
        count.set(count.sub(1)),
      ),
  };
}

/**
 * The partitions' reads on one AXI4 master, in fixed turns (turns.ts). In its turn a partition's bursts go out one
 * after another, as many as the bus can answer in the rest of the turn. So with a memory of constant latency, the
 * answers come one turn wide too, and no partition's beats wait for another's. A burst goes out only when its partition
 * has room for all its beats, so `r.ready` is always 1. The partition must also have less than its share of `bursts`
 * under way, so the memory need not stall.
 *
 * While `ar` is ready, when a partition's addresses go out depends on its own alone. While an address waits the time of
 * the turns stands still.
 * Latency: 2 cycles from `ar_i` to `ar`, and until the partition's turn; 1 from `r` to `r_i`. Initiation interval
 * within a turn: a burst's beats. Full: the partition's `ar_i.ready` is 0, and only its.
 */
export const PartitionReads = module(
  "PartitionReads",
  (p: PartitionMemoryParameters) =>
    mergePorts(portArray("ar", p.partitions, sink(axi4Address(p))), portArray("r", p.partitions, source(axi4Read(p))), {
      ar: source(axi4Address(partitionBus(p))),
      r: sink(axi4Read(partitionBus(p))),
    }),
  (io, p) => {
    const Beat = axi4Read(p),
      Outer = axi4Address(partitionBus(p)),
      whose = Math.log2(p.partitions),
      beats = readBeats(p);
    const r = io.r;
    const granted = stream(Outer, { name: "granted" });
    const turn = turns({ partitions: p.partitions, cycles: memoryTurn(p) }, granted.ready.not());
    const heads = arrayOf(io, "ar", p.partitions).map((from, i) =>
      map(
        fifo(from, waiting, { style: "distributed", name: `queue_${i}` }),
        Outer,
        v => ({ ...v, id: owned(i, v.id, whose) }),
        { name: `heads_${i}` },
      ),
    );
    const offers = heads.map((head, i) => {
      const left = reg(uint(bitsFor(beats)), { init: beats, name: `left_${i}` }),
        answers = instance(`answers_${i}`, Fifo({ shape: Beat, depth: beats, style: "block" }));
      const bursts = underWay(`bursts_${i}`, Math.max(1, p.bursts / p.partitions));
      const wide = Math.max(9, left.width),
        enough = node(left.zext(wide).gt(head.payload.len.zext(wide)), { name: `enough_${i}` });
      const cost = node(head.payload.len.zext(9).add(1), { name: `cost_${i}` }),
        booking = turn.book(i, cost);
      const offered = node(head.valid.and(enough).and(bursts.room).and(booking.fits), { name: `offered_${i}` });
      const goes = node(offered.and(granted.ready), { name: `goes_${i}` });
      booking.taken(goes);
      head.ready.set(goes);
      const comes = node(r.valid.and(ownerOf(r.payload.id, whose).eq(i)), { name: `comes_${i}` });
      answers.push.valid.set(comes);
      answers.push.payload.set({ ...r.payload, id: r.payload.id.trunc(p.idBits) });
      assertAlways(comes.and(answers.push.ready.not()).not(), "there is room for what was asked for");
      bursts.changes(goes, node(comes.and(r.payload.last), { name: `complete_${i}` }));
      const spent = node(mux(goes, cost.resize(left.width), constant(0, left.width)), { name: `spent_${i}` });
      left.set(left.sub(spent).add(answers.pop.fire.zext(left.width)));
      connect(answers.pop, portOf(io, "r", i));
      return offered;
    });
    r.ready.set(1);
    granted.valid.set(orTree(offers));
    assignView(
      granted.payload,
      onehotMux(
        heads.map((_, i) => turn.mine.bit(i)),
        heads.map(h => h.payload),
      ),
      "granted",
    );
    connect(stage(granted, "forward", { name: "ar_out" }), io.ar);
  },
  {
    nameOf: p =>
      `PartitionReads_n${p.partitions}_b${p.beatBytes}_a${p.addressBits}_i${p.idBits}_l${p.burstBeats}_o${p.bursts}${p.readBeats === undefined ? "" : `_k${p.readBeats}`}`,
  },
);

/**
 * The partitions' writes on one AXI4 master, in fixed turns (turns.ts). A burst goes out when all its data are there,
 * one burst at a time. Its data go a beat per cycle, from the cycle after and beside its address, and end within the
 * turn. A partition has less than its share of `bursts` unanswered, and room for their answers. So `b.ready` is always
 * 1, and the memory need not stall.
 *
 * While `aw` and `w` are ready, the time of a partition's bursts depends on its own bursts alone. While `aw` or `w`
 * waits, the time of the turns stands still. Latency: 2 cycles from a burst's last `w_i` to `aw` and its first `w`, and
 * until the partition's turn; 1 from `b` to `b_i`. Initiation interval within a turn: a burst's beats and 1. Full: the
 * partition's `aw_i.ready` or `w_i.ready` is 0, and only its.
 */
export const PartitionWrites = module(
  "PartitionWrites",
  (p: PartitionMemoryParameters) =>
    mergePorts(
      portArray("aw", p.partitions, sink(axi4Address(p))),
      portArray("w", p.partitions, sink(axi4Write(p.beatBytes))),
      portArray("b", p.partitions, source(axi4Response(p))),
      {
        aw: source(axi4Address(partitionBus(p))),
        w: source(axi4Write(p.beatBytes)),
        b: sink(axi4Response(partitionBus(p))),
        /** Bursts of the partition are under way or wait here. */
        waiting: output(uint(p.partitions)),
      },
    ),
  (io, p) => {
    const Data = axi4Write(p.beatBytes),
      Answer = axi4Response(p),
      Outer = axi4Address(partitionBus(p)),
      whose = Math.log2(p.partitions),
      cycles = memoryTurn(p);
    const w = io.w,
      b = io.b,
      most = Math.max(1, p.bursts / p.partitions);
    const granted = stream(Outer, { name: "granted" });
    const stalls = node(w.valid.and(w.ready.not()));
    const turn = turns({ partitions: p.partitions, cycles }, node(stalls.or(granted.ready.not()), { name: "holds" }));
    const heads = arrayOf(io, "aw", p.partitions).map((from, i) =>
      map(
        fifo(from, waiting, { style: "distributed", name: `queue_${i}` }),
        Outer,
        v => ({ ...v, id: owned(i, v.id, whose) }),
        { name: `heads_${i}` },
      ),
    );
    const data = arrayOf(io, "w", p.partitions).map((from, i) => {
      const queue = instance(`data_${i}`, PacketFifo({ shape: Data, depth: 2 * cycles, last: "last", style: "block" }));
      connect(from, queue.push);
      return queue;
    });

    const offers = heads.map((head, i) => {
      const queue = data[i] as (typeof data)[number],
        bursts = underWay(`bursts_${i}`, most);
      // The cycle of the grant, and one for each beat.
      const booking = turn.book(i, node(head.payload.len.zext(9).add(2), { name: `cost_${i}` }), "now");
      const offered = node(head.valid.and(queue.packets.any()).and(bursts.room).and(booking.fits).and(stalls.not()), {
        name: `offered_${i}`,
      });
      const goes = node(offered.and(granted.ready), { name: `goes_${i}` });
      booking.taken(goes);
      // Beats still to be sent of the burst that went out last.
      const due = reg(uint(Math.log2(cycles) + 1), { init: 0, name: `due_${i}` }),
        sends = node(due.any(), { name: `sends_${i}` });
      when(goes, () => due.set(head.payload.len.zext(9).add(1).trunc(due.width))).elseWhen(sends.and(w.ready), () =>
        due.set(due.sub(1)),
      );
      queue.pop.ready.set(sends.and(w.ready));
      assertAlways(sends.not().or(queue.pop.valid), "all data of a burst are there when it goes out");
      assertAlways(sends.not().or(queue.pop.payload.last.eq(due.eq(1))), "a burst's data end with it");
      head.ready.set(goes);
      const answers = instance(`answers_${i}`, Fifo({ shape: Answer, depth: most, style: "distributed" }));
      const comes = node(b.valid.and(ownerOf(b.payload.id, whose).eq(i)), { name: `comes_${i}` });
      answers.push.valid.set(comes);
      answers.push.payload.set({ ...b.payload, id: b.payload.id.trunc(p.idBits) });
      assertAlways(comes.and(answers.push.ready.not()).not(), "there is room for an answer that is due");
      bursts.changes(goes, answers.pop.fire);
      connect(answers.pop, portOf(io, "b", i));
      return { offered, sends, waits: node(bursts.some().or(head.valid), { name: `waits_${i}` }) };
    });
    io.waiting.set(fromBits(offers.map(o => o.waits)));
    b.ready.set(1);
    granted.valid.set(orTree(offers.map(o => o.offered)));
    assignView(
      granted.payload,
      onehotMux(
        heads.map((_, i) => turn.mine.bit(i)),
        heads.map(h => h.payload),
      ),
      "granted",
    );
    connect(stage(granted, "forward", { name: "aw_out" }), io.aw);

    const sends = offers.map(o => o.sends);
    w.valid.set(fromBits(sends).any());
    assignView(
      w.payload,
      onehotMux(
        sends,
        data.map(q => q.pop.payload),
      ),
      "w",
    );
    assertAlways(atMostOne(fromBits(sends)), "one burst at a time");
  },
  {
    nameOf: p =>
      `PartitionWrites_n${p.partitions}_b${p.beatBytes}_a${p.addressBits}_i${p.idBits}_l${p.burstBeats}_o${p.bursts}`,
  },
);
