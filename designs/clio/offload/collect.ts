import {
  assignGiven,
  bit,
  type Bit,
  constant,
  type Fields,
  Fifo,
  instance,
  mux,
  node,
  reg,
  scope,
  type StreamIn,
  type StructShape,
  uint,
  type UInt,
  when,
} from "../../../hdl-dsl/index.ts";
import { beatsOf, BodyBeat } from "./types.ts";

/**
 * Few wide beats cost less in distributed memory, which needs neither an output register nor a bypass of that width.
 */
export const fifoStyle = (depth: number): "distributed" | "auto" => (depth <= 64 ? "distributed" : "auto");

export interface CollectOptions<F extends Fields> {
  readonly name: string;
  /** The field that counts the bytes which follow. */
  readonly length: keyof F & string;
  /** Most bytes that may follow: a larger count is cut to it. */
  readonly mostBytes: number;
  readonly beatBytes: number;
  /** Heads kept with their data. */
  readonly depth: number;
  /** Everything that is kept is forgotten, what is incomplete too. */
  readonly clear: Bit;
}
export interface Collected<F extends Fields> {
  readonly heads: StreamIn<StructShape<F>>;
  readonly data: StreamIn<ReturnType<typeof BodyBeat>>;
  /** There is something complete that has not been taken. */
  readonly pending: Bit;
}

/**
 * Heads and the data that follow them, passed on only when complete. The reader of a head finds all its data there,
 * whatever the writing side does. The count in the head alone says how many beats belong to it; `last` is made anew.
 *
 * Latency: 2 cycles from the last beat to the head. Initiation interval: 1 beat, and 1 cycle between one head's data
 * and the next. Full: data wait when the FIFO holds the beats of one largest item and has no room for a further beat.
 * Heads wait when `depth` are complete.
 */
export function collect<F extends Fields>(
  heads: StreamIn<StructShape<F>>,
  data: StreamIn<ReturnType<typeof BodyBeat>>,
  o: CollectOptions<F>,
): Collected<F> {
  return scope(o.name, () => {
    const most = Math.ceil(o.mostBytes / o.beatBytes),
      shape = heads.shape;
    const depth = 2 ** Math.ceil(Math.log2(most + 1));
    const store = instance("data", Fifo({ shape: BodyBeat(o), depth, style: fifoStyle(depth) }), { reset: o.clear });
    const complete = instance("heads", Fifo({ shape, depth: o.depth, style: "distributed" }), { reset: o.clear });
    const held = reg(shape, { name: "held" });
    const valid = reg(bit, { init: 0, name: "valid" });
    const given = heads.payload[o.length] as UInt;
    const bytes = node(mux(given.gt(o.mostBytes), constant(o.mostBytes, given.width), given), { name: "bytes" });
    const beats = beatsOf(bytes, o);
    const left = reg(uint(beats.width), { name: "left" });

    const wants = node(valid.and(left.any()), { name: "wants" });
    store.push.valid.set(wants.and(data.valid));
    data.ready.set(wants.and(store.push.ready));
    store.push.payload.set({ data: data.payload.data, last: left.eq(1) });
    when(store.push.fire, () => left.set(left.sub(1)));
    const whole = node(valid.and(left.any().not()), { name: "whole" });
    complete.push.valid.set(whole);
    assignGiven(complete.push.payload, shape, held);
    when(complete.push.fire, () => valid.set(0));
    heads.ready.set(node(valid.not().or(complete.push.fire), { name: "room" }));
    when(heads.fire, () => {
      valid.set(1);
      assignGiven(held, shape, { ...(heads.payload as object), [o.length]: bytes });
      left.set(beats);
    });
    when(o.clear, () => valid.set(0));
    return { heads: complete.pop, data: store.pop, pending: node(whole.or(complete.level.any()), { name: "pending" }) };
  });
}
