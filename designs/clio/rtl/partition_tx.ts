import {
  assertAlways, bit, connect, constant, decode, Fifo, fork, fromBits, instance, module, mux, node, onehotMux, output, reg, sink, source, uint, when, assignView, type Bit,
} from "../../../hdl-dsl/index.ts";
import { inwardsOf, perPartition } from "./partition_ports.ts";
import { turns } from "./turns.ts";
import { AxisBeat } from "./types.ts";

export interface PartitionTxParameters {
  readonly partitions: number; readonly beatBytes: number;
  /** Largest frame, bytes without FCS. */
  readonly frameBytes: number;
}
/**
 * Cycles of a line of 100 Gbit/s that a frame takes, its overhead of 24 bytes included, in 32nds of a cycle of 4 ns: 41 for each beat of 64 bytes, and 16. So a MAC of such a line has
 * sent in a turn what it was given in it, and its back-pressure, if any, ends with the turn. For other widths: the beats and one more.
 */
const lineRate = { beatBytes: 64, beat: 41, frame: 16, scale: 32 } as const;
const beatsOf = (p: PartitionTxParameters): number => Math.ceil(p.frameBytes / p.beatBytes);
const costOf = (p: PartitionTxParameters, beats: number): number =>
  p.beatBytes === lineRate.beatBytes ? Math.ceil((lineRate.beat * beats + lineRate.frame) / lineRate.scale) : beats + 1;
/** Cycles of a turn: what the largest frame takes, rounded up to a power of two. */
export const txTurn = (p: PartitionTxParameters): number => 2 ** Math.ceil(Math.log2(costOf(p, beatsOf(p))));

/**
 * Frames of the partitions to the line, in fixed turns (turns.ts) of at least a largest frame. A frame is sent when all of it is there and the line is done with it before its
 * partition's turn ends; so, while `tx` is ready, when a partition's frames leave depends on its own alone. When `tx` is not ready a frame goes on past its turn, and whoever comes next waits for its end.
 *
 * Latency: 2 cycles from a frame's last beat, then until the partition's turn: up to (partitions - 1) turns and what is left of its own. Initiation interval within a turn: a frame's cycles on the line. Full: each
 * partition has room for two turns of beats; then its `tx_i.ready` is 0, and only its.
 */
export const PartitionTx = module("PartitionTx",
  (p: PartitionTxParameters) => ({ ...perPartition("tx", p.partitions, sink(AxisBeat(p.beatBytes))), tx: source(AxisBeat(p.beatBytes)), /** Beats of the partition wait here. */ waiting: output(uint(p.partitions)) }),
  (io, p) => {
    const Beat = AxisBeat(p.beatBytes), cycles = txTurn(p), depth = 2 * cycles, lengthBits = Math.log2(cycles) + 1, tx = io.tx;
    const turn = turns({ partitions: p.partitions, cycles });
    const inputs = inwardsOf(io, "tx", p.partitions, Beat).map((from, i) => {
      const [to_beats, to_lengths] = fork(from, 2, "lazy", { name: `entering_${i}` }) as [typeof from, typeof from];
      const beats = instance(`beats_${i}`, Fifo({ shape: Beat, depth, style: "block" }));
      const lengths = instance(`lengths_${i}`, Fifo({ shape: uint(lengthBits), depth, style: "distributed" }));
      connect(to_beats, beats.push);
      const count = reg(uint(lengthBits), { init: 1, name: `count_${i}` });
      when(from.fire, () => { count.set(mux(from.payload.last, constant(1, lengthBits), count.add(1))); });
      lengths.push.valid.set(to_lengths.valid.and(to_lengths.payload.last));
      lengths.push.payload.set(count);
      to_lengths.ready.set(lengths.push.ready);
      assertAlways(from.valid.not().or(count.le(beatsOf(p))), "no frame is longer than the largest");
      return { beats, lengths };
    });

    const owner = reg(uint(p.partitions), { init: 0 });
    const sending = reg(bit, { init: 0 });
    const mine = node(decode(turn.owner, p.partitions));
    const waits = inputs.map(({ lengths }, i) => mine.bit(i).and(lengths.pop.valid));
    const length = node(onehotMux(inputs.map((_, i) => mine.bit(i)), inputs.map(({ lengths }) => lengths.pop.payload)));
    const wide = lengthBits + 6;
    const cost = node(p.beatBytes === lineRate.beatBytes
      ? length.zext(wide).shl(5).add(length.zext(wide).shl(3)).add(length.zext(wide)).add(lineRate.frame + lineRate.scale - 1).shr(5).trunc(lengthBits + 1) : length.zext(lengthBits + 1).add(1));
    const booking = turn.book(cost);
    const ends = node(tx.fire.and(tx.payload.last));
    const free = node(sending.not().or(ends));
    const begins = node(fromBits(waits).any().and(booking.fits).and(free));
    booking.taken(begins);
    inputs.forEach(({ lengths }, i) => { lengths.pop.ready.set(begins.and(mine.bit(i))); });
    when(begins, () => { sending.set(1); owner.set(mine); }).elseWhen(ends, () => { sending.set(0); });

    const owns = (i: number): Bit => sending.and(owner.bit(i));
    tx.valid.set(fromBits(inputs.map(({ beats }, i) => owns(i).and(beats.pop.valid))).any());
    assignView(tx.payload, onehotMux(inputs.map((_, i) => owner.bit(i)), inputs.map(({ beats }) => beats.pop.payload)), "tx");
    inputs.forEach(({ beats }, i) => { beats.pop.ready.set(owns(i).and(tx.ready)); });
    io.waiting.set(fromBits(inputs.map(({ beats }) => beats.level.any())) as never);
    assertAlways(sending.not().or(tx.valid), "all of a frame is there when it begins");
  },
  { nameOf: p => `PartitionTx_n${p.partitions}_b${p.beatBytes}_u${p.frameBytes}` });
