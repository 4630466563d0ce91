/** Common part of CRC and checksum: a number for each frame of an AXI-Stream. */
import { bit, type Shape, type UIntShape } from "../../types/shape.ts";
import type { Bit, StreamIn, StreamOut, UInt, Val } from "../../types/value.ts";
import { node, reg } from "../../build/declare.ts";
import { when } from "../../build/statements.ts";
import { assignView } from "../../build/view.ts";
import type { AxisBeatShape } from "../axi/index.ts";
/** A number over a frame (CRC, checksum), as a state that each beat advances. */
export interface Digest<P extends Shape> {
  /** Bits of the state, and its value before a frame. */
  readonly state: UIntShape;
  readonly init: bigint;
  /** Contribution of a beat alone; registered before it meets the state. */
  readonly partShape: P;
  readonly part: (beat: Val<AxisBeatShape>) => Val<P> | Readonly<Record<string, UInt>>;
  /** The state after a beat that is not the frame's last. */
  readonly next: (state: UInt, part: Val<P>) => UInt;
  /** The frame's number, from the state before its last beat. */
  readonly result: (state: UInt, part: Val<P>) => UInt;
}

/**
 * Beats come in, one number per frame goes out. Latency 2 cycles from a frame's last beat to its number, initiation
 * interval 1 beat. Full (a number waits, the next frame's last beat is behind it): `from.ready` is 0. Taken and coming
 * in one cycle: both happen.
 */
export function frameDigest<P extends Shape>(
  from: StreamIn<AxisBeatShape>,
  to: StreamOut<UIntShape>,
  d: Digest<P>,
): void {
  const partValid = reg(bit, { init: 0 }),
    partLast = reg(bit),
    part = reg(d.partShape, { name: "part" });
  const state = reg(d.state, { init: d.init, name: "state" });
  const resultValid = reg(bit, { init: 0 }),
    result = reg(to.shape, { name: "result" });
  const advance: Bit = node(partValid.not().or(partLast.not()).or(resultValid.not()).or(to.ready));
  from.ready.set(advance);
  when(to.ready, () => resultValid.set(0));
  when(advance, () => partValid.set(from.valid));
  when(from.fire, () => {
    partLast.set(from.payload.last);
    assignView(part, d.part(from.payload), "part");
  });
  when(partValid.and(advance), () => {
    when(partLast, () => {
      resultValid.set(1);
      assignView(result, d.result(state, part), "result");
      state.set(d.init);
    }).otherwise(() => state.set(d.next(state, part)));
  });
  to.valid.set(resultValid);
  assignView(to.payload, result, "payload");
}
