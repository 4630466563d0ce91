/** Two queues of frames and one way out: critical ones first, packet by packet (Fastswap, section 4.1). */
import {
  assertAlways,
  assignView,
  bit,
  type Bit,
  cat,
  constant,
  cover,
  type Def,
  input,
  module,
  mux,
  node,
  output,
  type Port,
  reg,
  type Shape,
  shapeName,
  sink,
  source,
  type StreamPort,
  streamRules,
  uint,
  type UIntShape,
  type Val,
  when,
  wire,
} from "../../../hdl-dsl/index.ts";
import { type FrameRing, frameRing } from "./frame-ring.ts";

export interface TwoQueuesParameters<S extends Shape = Shape> {
  /** Of a beat. */
  readonly shape: S;
  /** The name of its one-bit field that marks the last beat of a frame. */
  readonly last: string;
  /** Beats that each queue has room for, powers of two. */
  readonly criticalDepth: number;
  readonly bulkDepth: number;
  /** Critical frames that may pass a bulk frame that waits; 0: any number. */
  readonly patience: number;
  /** Full: a frame is lost. Else whoever brings it waits. */
  readonly drops: boolean;
}

/**
 * Critical frames that have begun while a bulk one waited: whether it is the bulk one's turn. One that waits goes in no
 * other way than by its turn, so the count begins anew with each bulk frame.
 */
function bulkIsDue(patience: number, starts: Bit, startsBulk: Bit, waits: Bit): Bit {
  if (patience === 0) return constant(0, 1);
  const width = Math.ceil(Math.log2(patience + 1)),
    passed = reg(uint(width), { init: 0, name: "passed" }),
    due = reg(bit, { init: 0, name: "bulk_is_due" });
  const counts = node(starts.and(waits).andNot(startsBulk), { name: "passes_bulk" });
  when(starts.and(startsBulk), () => {
    passed.set(0);
    due.set(0);
  }).elseWhen(counts.andNot(due), () => {
    passed.set(passed.add(1));
    due.set(passed.eq(patience - 1));
  });
  return due;
}

const definition = module(
  "TwoQueues",
  (p: TwoQueuesParameters) => ({
    from: sink(p.shape),
    /** Class of the beat that is offered; it must not change within a frame. */
    bulk: input(bit),
    to: source(p.shape),
    lost: output(uint(2)),
  }),
  (io, p) => {
    const lastOf = (v: unknown): Bit => (v as Readonly<Record<string, Bit>>)[p.last] as Bit;
    const ring = (name: string, depth: number, mine: Bit): FrameRing<Shape> =>
      frameRing({
        name,
        shape: p.shape,
        depth,
        drops: p.drops,
        valid: node(io.from.valid.and(mine), { name: `${name}_valid` }),
        last: lastOf(io.from.payload),
        beat: io.from.payload as Val<Shape>,
      });
    const critical = ring("critical", p.criticalDepth, io.bulk.not()),
      bulk = ring("bulk", p.bulkDepth, io.bulk);
    io.from.ready.set(mux(io.bulk, bulk.ready, critical.ready));
    io.lost.set(cat(bulk.loses, critical.loses));

    const serving = reg(bit, { init: 0, name: "serving" }),
      ofBulk = reg(bit, { init: 0, name: "of_bulk" });
    io.to.valid.set(serving);
    assignView(io.to.payload, mux<unknown, unknown>(ofBulk, bulk.front, critical.front), "to_payload");
    const goes = node(serving.and(io.to.ready), { name: "goes" }),
      ends = node(goes.and(lastOf(io.to.payload)), { name: "ends" }),
      chooses = node(serving.not().or(ends), { name: "chooses" });
    critical.taken.set(goes.andNot(ofBulk));
    bulk.taken.set(goes.and(ofBulk));

    const startsBulk = wire(bit, { name: "starts_bulk" }),
      starts = node(chooses.and(critical.more.or(bulk.more)), { name: "starts" });
    const due = bulkIsDue(p.patience, starts, startsBulk, bulk.more);
    startsBulk.set(bulk.more.and(due.or(critical.more.not())));
    when(chooses, () => {
      serving.set(starts);
      ofBulk.set(startsBulk);
    });
    streamRules(io.to);
    const served = mux(ofBulk, bulk.holds, critical.holds);
    assertAlways(serving.not().or(served), "what is served is there");
    cover(starts.and(startsBulk).and(critical.more), "a bulk frame goes before a critical one that waits");
  },
  {
    nameOf: p =>
      `TwoQueues_${shapeName(p.shape)}_c${p.criticalDepth}_b${p.bulkDepth}_p${p.patience}_${p.drops ? "drops" : "waits"}`,
  },
);

/**
 * Frames of two classes in, frames out: a critical one before any bulk one, in the order of coming within a class.
 * A frame that has begun goes on to its end. After `patience` critical frames that passed a waiting bulk frame, that
 * one goes. Store and forward: latency 2 cycles from a frame's last beat to its first at `to`; initiation interval 1,
 * also from frame to frame and class to class. Full: see `drops`; a frame longer than its queue is lost in any case.
 * `lost` is 1 for a class in the cycle in which it loses a frame (bit 0 critical, bit 1 bulk). Reset empties both.
 */
export function TwoQueues<const S extends Shape>(
  p: TwoQueuesParameters<S>,
): Def<{
  readonly from: StreamPort<"in", S>;
  readonly bulk: Port<"in", UIntShape<1>>;
  readonly to: StreamPort<"out", S>;
  readonly lost: Port<"out", UIntShape<2>>;
}> {
  // The shape is a parameter: its widths are checked at elaboration.
  return definition(p) as never;
}
