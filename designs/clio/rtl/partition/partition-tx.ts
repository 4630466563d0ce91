import {
  arrayOf,
  assertAlways,
  assignView,
  atMostOne,
  bit,
  connect,
  constant,
  Fifo,
  fork,
  fromBits,
  instance,
  mergePorts,
  module,
  mux,
  node,
  onehotMux,
  output,
  portArray,
  reg,
  sink,
  source,
  uint,
  when,
} from "../../../../hdl-dsl/index.ts";
import { turns } from "../../../shared/stream/index.ts";
import { AxisBeat } from "../../../shared/frame/index.ts";

export interface PartitionTxParameters {
  readonly partitions: number;
  readonly beatBytes: number;
  /** Largest frame, bytes without FCS. */
  readonly frameBytes: number;
}
/**
 * Cycles that a frame takes on a line of 100 Gbit/s, its overhead of 24 bytes included. The unit is a 32nd of a cycle
 * of 4 ns: 41 for each beat of 64 bytes, and 16. So a MAC of such a line has sent a turn's frames within the turn, and
 * its back-pressure, if any, ends with the turn. For other widths: the beats and one more.
 */
const lineRate = { beatBytes: 64, beat: 41, frame: 16, scale: 32 } as const;
const beatsOf = (p: PartitionTxParameters): number => Math.ceil(p.frameBytes / p.beatBytes);
const costOf = (p: PartitionTxParameters, beats: number): number =>
  p.beatBytes === lineRate.beatBytes ? Math.ceil((lineRate.beat * beats + lineRate.frame) / lineRate.scale) : beats + 1;
/** Cycles of a turn: the largest frame's, rounded up to a power of two. */
export const txTurn = (p: PartitionTxParameters): number => 2 ** Math.ceil(Math.log2(costOf(p, beatsOf(p))));

/**
 * Frames of the partitions to the line, in fixed turns (turns.ts) of at least a largest frame. A frame is sent when
 * all of it is there and the line is done with it before its partition's turn ends. So, while `tx` is ready, a
 * partition's frames leave at times that depend on its own frames alone. While a beat waits for `tx` the time of the
 * turns stands still.
 *
 * Latency: 2 cycles from a frame's last beat, then until the partition's turn: up to (partitions - 1) turns and what is
 * left of its own. Initiation interval within a turn: a frame's cycles on the line. Full: each partition has room for
 * two turns of beats; then its `tx_i.ready` is 0, and only its.
 */
export const PartitionTx = module(
  "PartitionTx",
  (p: PartitionTxParameters) =>
    mergePorts(portArray("tx", p.partitions, sink(AxisBeat(p.beatBytes))), {
      tx: source(AxisBeat(p.beatBytes)),
      /** Beats of the partition wait here. */
      waiting: output(uint(p.partitions)),
    }),
  (io, p) => {
    const Beat = AxisBeat(p.beatBytes),
      cycles = txTurn(p),
      depth = 2 * cycles,
      lengthBits = Math.log2(cycles) + 1,
      tx = io.tx;
    const holds = node(tx.valid.and(tx.ready.not()));
    const turn = turns({ partitions: p.partitions, cycles }, holds);
    const inputs = arrayOf(io, "tx", p.partitions).map((from, i) => {
      const [toBeats, toLengths] = fork(from, 2, "lazy", { name: `entering_${i}` });
      const beats = instance(`beats_${i}`, Fifo({ shape: Beat, depth, style: "block" }));
      const lengths = instance(`lengths_${i}`, Fifo({ shape: uint(lengthBits), depth, style: "distributed" }));
      connect(toBeats, beats.push);
      const count = reg(uint(lengthBits), { init: 1, name: `count_${i}` });
      when(from.fire, () => count.set(mux(from.payload.last, constant(1, lengthBits), count.add(1))));
      lengths.push.valid.set(toLengths.valid.and(toLengths.payload.last));
      lengths.push.payload.set(count);
      toLengths.ready.set(lengths.push.ready);
      assertAlways(from.valid.not().or(count.le(beatsOf(p))), "no frame is longer than the largest");
      return { beats, lengths };
    });

    const ends = node(tx.fire.and(tx.payload.last)),
      wide = lengthBits + 6;
    const sends = inputs.map(({ beats, lengths }, i) => {
      const length = lengths.pop.payload.zext(wide),
        sending = reg(bit, { init: 0, name: `sending_${i}` });
      const cost = node(
        p.beatBytes === lineRate.beatBytes
          ? length
              .shl(5)
              .add(length.shl(3))
              .add(length)
              .add(lineRate.frame + lineRate.scale - 1)
              .shr(5)
              .trunc(lengthBits + 1)
          : length.add(1).trunc(lengthBits + 1),
        { name: `cost_${i}` },
      );
      const booking = turn.book(i, cost, "now"),
        begins = node(lengths.pop.valid.and(booking.fits).and(holds.not()), { name: `begins_${i}` });
      booking.taken(begins);
      lengths.pop.ready.set(begins);
      when(begins, () => sending.set(1)).elseWhen(ends, () => sending.set(0));
      beats.pop.ready.set(sending.and(tx.ready));
      assertAlways(sending.not().or(beats.pop.valid), "all of a frame is there when it begins");
      assertAlways(begins.and(sending).not(), "a frame ends before the next one of its partition begins");
      return sending;
    });
    tx.valid.set(fromBits(sends).any());
    assignView(
      tx.payload,
      onehotMux(
        sends,
        inputs.map(({ beats }) => beats.pop.payload),
      ),
      "tx",
    );
    assertAlways(atMostOne(fromBits(sends)), "one frame at a time");
    io.waiting.set(fromBits(inputs.map(({ beats }) => beats.level.any())));
  },
  { nameOf: p => `PartitionTx_n${p.partitions}_b${p.beatBytes}_u${p.frameBytes}` },
);
