import {
  arrayOf,
  mergePorts,
  output,
  type Port,
  portArray,
  type PortArray,
  sink,
  source,
  type StreamPort,
} from "../../types/ports.ts";
import { bit, struct, type StructShape, uint, type UIntShape } from "../../types/shape.ts";
import type { Bit } from "../../types/value.ts";
import { addressBits } from "../../types/bits.ts";
import { type Def, module } from "../../build/module.ts";
import { constant } from "../../build/value.ts";
import { arbiter } from "../../stream/arbiter.ts";
import { connect } from "../../stream/connect.ts";
import { stage } from "../../stream/stage.ts";
import { demux, map } from "../../stream/stream.ts";
import { fromBits } from "../../vectors/index.ts";
import { axisBeat, type AxisBeatShape } from "../axi/index.ts";

/** Sizes of a switch. */
export interface AxisSwitchParameters {
  /** Bytes of a beat. */
  readonly bytes: number;
  /** Streams that come in, 1 or more: `from0` and up. */
  readonly inputs: number;
  /** Streams that go out, 1 or more: `to0` and up. */
  readonly outputs: number;
}
/** A beat, and the number of the output that its frame goes to: the same for all beats of a frame. */
export type SwitchBeat = StructShape<{
  readonly data: UIntShape;
  readonly keep: UIntShape;
  readonly last: UIntShape<1>;
  readonly dest: UIntShape;
}>;
/** The shape of a beat on its way to one of `outputs` outputs. */
export const switchBeat = (bytes: number, outputs: number): SwitchBeat =>
  struct({ data: uint(bytes * 8), keep: uint(bytes), last: bit, dest: uint(addressBits(outputs)) });

/** The ports of a switch. */
export type AxisSwitchPorts = PortArray<"from", StreamPort<"in", SwitchBeat>> &
  PortArray<"to", StreamPort<"out", AxisBeatShape>> & { readonly dropped: Port<"out", UIntShape> };

/**
 * AXI-Stream switch: frames of any input to any output, as their `dest` says. A frame stays whole; outputs choose
 * among the inputs round robin, frame by frame, so that no input waits for more than `inputs` - 1 frames at an
 * output. With one output it is a multiplexer. A frame for an output that is not there is taken and dropped; its
 * input's bit of `dropped` is 1 for the cycle of its last beat.
 *
 * Latency 1 cycle, initiation interval 1 at every output, also from a frame of one input to a frame of another. An
 * output holds one beat. Full (it is not taken): the inputs that want it wait, and no others. Reset forgets beats and
 * frames under way.
 */
export const AxisSwitch: (p: AxisSwitchParameters) => Def<AxisSwitchPorts> = module(
  "AxisSwitch",
  (p: AxisSwitchParameters): AxisSwitchPorts =>
    mergePorts(
      portArray("from", p.inputs, sink(switchBeat(p.bytes, p.outputs))),
      portArray("to", p.outputs, source(axisBeat(p.bytes))),
      { dropped: output(uint<number>(p.inputs)) },
    ),
  (io, p) => {
    const inputs = arrayOf(io, "from", p.inputs),
      ways = inputs.map((s, i) => demux(s, s.payload.dest, p.outputs, { name: `way_${i}` }));
    arrayOf(io, "to", p.outputs).forEach((to, o) => {
      const merged = arbiter(
        ways.map(w => w[o] as (typeof inputs)[number]),
        { name: `merged_${o}`, last: v => v.last },
      );
      const beats = map(merged, axisBeat(p.bytes), ({ data, keep, last }) => ({ data, keep, last }), {
        name: `beats_${o}`,
      });
      connect(stage(beats, "forward", { name: `out_${o}` }), to);
    });
    const nowhere = (dest: (typeof inputs)[number]["payload"]["dest"]): Bit =>
      2 ** dest.width > p.outputs ? dest.ge(p.outputs) : constant(0, 1);
    io.dropped.set(fromBits(inputs.map(s => s.fire.and(s.payload.last).and(nowhere(s.payload.dest)))));
  },
);
