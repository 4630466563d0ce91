/** What tasks with payload have in common: each packet's own values beside its beats, and bytes of its last beat. */
import {
  assignView,
  cat,
  constant,
  fifo,
  type Given,
  repeat,
  type Shape,
  stage,
  stream,
  type StreamIn,
  type UInt,
} from "../../../../hdl-dsl/index.ts";
import { TaskPacket } from "./interface.ts";

interface Both<S extends Shape> {
  /** The packets, a cycle later: for the answers. */
  readonly packets: StreamIn<typeof TaskPacket>;
  /** A value for each packet that has a payload, in their order: for its beats. */
  readonly values: StreamIn<S>;
}
/**
 * A packet goes two ways: to its answer, and, if it has a payload, as a value to its beats. A task that holds `depth`
 * packets at most never waits for room here.
 */
export function besideBeats<S extends Shape>(
  from: StreamIn<typeof TaskPacket>,
  shape: S,
  value: Given<S>,
  depth: number,
): Both<S> {
  const answers = stream(TaskPacket, { name: "to_answer" }),
    values = stream(shape, { name: "to_beats" }),
    some = from.payload.payloadBytes.any();
  answers.payload.set(from.payload);
  assignView(values.payload, value, "payload");
  answers.valid.set(from.valid.and(values.ready));
  values.valid.set(from.valid.and(answers.ready).and(some));
  from.ready.set(answers.ready.and(values.ready));
  return {
    packets: stage(answers, "forward", { name: "answering" }),
    values: fifo(values, depth, { name: "beside_beats", style: "distributed" }),
  };
}

/** Bytes of the last beat of so many: 1 to 64, as their number modulo 64. */
export const tailOf = (payloadBytes: UInt): UInt<6> => payloadBytes.trunc(6);
/** The bits of a last beat that count. */
export function tailMask(tail: UInt<6>): UInt {
  // All of them, where the tail is 0.
  const all = tail.eq(0);
  return cat(
    ...Array.from({ length: 64 }, (_, i) => repeat(i === 0 ? constant(1, 1) : all.or(tail.gt(i)), 8)).toReversed(),
  );
}
