import {
  arrayOf,
  assertAlways,
  bit,
  connect,
  constant,
  Fifo,
  fromBits,
  instance,
  mergePorts,
  module,
  mux,
  node,
  output,
  portArray,
  reg,
  sink,
  source,
  stream,
  uint,
  when,
} from "../../../../hdl-dsl/index.ts";
import { partitionOf } from "./partition-of.ts";
import { AxisBeat } from "../../../shared/frame/index.ts";

export interface PartitionRxParameters {
  readonly partitions: number;
  readonly beatBytes: number;
  /** Largest frame, bytes without FCS. */
  readonly frameBytes: number;
  /** For proofs at reduced size: the partition is the low bits of a frame's first beat. */
  readonly plain?: true;
}
/** Frames that a partition can keep, the largest of them. */
const framesKept = 2;
/**
 * Beats kept for a partition: the largest frames, each with two beats more, by which a frame that is too long is known.
 */
export const partitionBeats = (p: Pick<PartitionRxParameters, "beatBytes" | "frameBytes">): number =>
  2 ** Math.ceil(Math.log2(framesKept * (Math.ceil(p.frameBytes / p.beatBytes) + 2)));

/**
 * Frames from the MAC to the partitions, by their first beat. Each partition has a queue of its own, at whose head its
 * node may take its time.
 *
 * `rx.ready` is always 1: no partition holds up the line. Full: without room for a largest frame in its partition's
 * queue, a frame is dropped whole. `dropped` then pulses for the partition at the frame's first beat; clients repeat
 * their requests (T2). A frame longer than the largest is cut to two beats more: it stays too long, and its node drops
 * it. Latency 1 cycle; initiation interval 1 beat per cycle. The frames out to a partition, and their cycles, depend on
 * its own frames alone.
 */
export const PartitionRx = module(
  "PartitionRx",
  (p: PartitionRxParameters) =>
    mergePorts({ rx: sink(AxisBeat(p.beatBytes)) }, portArray("rx", p.partitions, source(AxisBeat(p.beatBytes))), {
      dropped: output(uint(p.partitions)),
      /** Beats of the partition wait here. */
      waiting: output(uint(p.partitions)),
    }),
  (io, p) => {
    const Beat = AxisBeat(p.beatBytes),
      most = Math.ceil(p.frameBytes / p.beatBytes),
      depth = partitionBeats(p),
      bits = Math.log2(p.partitions),
      rx = io.rx;
    const outs = arrayOf(io, "rx", p.partitions);
    rx.ready.set(1);
    const first = reg(bit, { init: 1 });
    const held = reg(uint(bits));
    const admitted = reg(bit);
    // Beats of the frame that came before this one, up to one more than the largest frame has.
    const count = reg(uint(Math.ceil(Math.log2(most + 2))), { init: 0 });
    const long = node(count.eq(most + 1));
    const owner = node(
      mux(
        first,
        (p.plain === true ? rx.payload.data.trunc(bits) : partitionOf(rx.payload.data, p.partitions)).is(bits),
        held,
      ),
    );

    const queues = outs.map((_, i) => instance(`queue_${i}`, Fifo({ shape: Beat, depth, style: "block" })));
    const roomy = node(fromBits(queues.map(q => q.level.le(depth - most - 2))));
    const admits = node(mux(first, roomy.shr(owner).bit(0), admitted));
    when(rx.valid, () => {
      first.set(rx.payload.last);
      held.set(owner);
      admitted.set(admits);
      when(rx.payload.last, () => count.set(constant(0, count.width))).elseWhen(long.not(), () =>
        count.set(count.add(1)),
      );
    });
    queues.forEach((q, i) => {
      const entering = stream(Beat, { name: `entering_${i}` });
      entering.valid.set(rx.valid.and(admits).and(owner.eq(i)).and(long.not().or(rx.payload.last)));
      entering.payload.set(rx.payload);
      connect(entering, q.push);
      assertAlways(entering.valid.and(entering.ready.not()).not(), "what was admitted has room");
      connect(q.pop, outs[i] as (typeof outs)[number]);
    });
    io.waiting.set(fromBits(queues.map(q => q.level.any())));
    io.dropped.set(fromBits(queues.map((_, i) => rx.valid.and(first).and(admits.not()).and(owner.eq(i)))));
  },
  { nameOf: p => `PartitionRx_n${p.partitions}_b${p.beatBytes}_u${p.frameBytes}${p.plain === true ? "_plain" : ""}` },
);
