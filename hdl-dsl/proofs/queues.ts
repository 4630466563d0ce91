/** Units that hold elements: FIFOs, the skid buffer, the AXI-Stream register. */
import { uint } from "../types/shape.ts";
import type { StreamIn, UInt } from "../types/value.ts";
import { instance } from "../build/module.ts";
import { assertAlways, cover } from "../build/statements.ts";
import { pack } from "../build/view.ts";
import { AxisRegister, SkidBuffer } from "../lib/index.ts";
import { fifoWithLevel } from "../queues/fifo.ts";
import { connect } from "../stream/connect.ts";
import { map } from "../stream/stream.ts";
import type { Proof } from "./harness/proof.ts";
import { streamUnit } from "./harness/stream-unit.ts";

const fifoProof = (depth: number, faults: Proof["faults"]): Proof => {
  let level: UInt | undefined;
  return {
    module: `Fifo, depth ${depth}`,
    reach: depth + 8,
    faults,
    harness: streamUnit(`FifoDepth${depth}Proof`, {
      width: 1,
      capacity: depth,
      build: s => {
        const queue = fifoWithLevel(s, depth, { name: "dut" });
        level = queue.level;
        return queue.out;
      },
      also: count => {
        assertAlways((level as UInt).eq(count), "level is the number of elements inside");
        cover((level as UInt).eq(0), "empty");
      },
    }),
  };
};

export const queueProofs: readonly Proof[] = [
  fifoProof(4, [
    { what: "a word read as it is written comes out stale", from: /front_hit <= [^;]*;/, to: "front_hit <= 1'b0;" },
  ]),
  fifoProof(3, [{ what: "the write position wraps one too late", from: "(tail == 2'd2)", to: "(tail == 2'd3)" }]),
  fifoProof(1, [
    { what: "a word read as it is written comes out stale", from: /front_hit <= [^;]*;/, to: "front_hit <= 1'b0;" },
  ]),
  {
    module: "SkidBuffer",
    harness: streamUnit("SkidBufferProof", {
      width: 2,
      capacity: 1,
      build: s => {
        const dut = instance("dut", SkidBuffer({ shape: uint(2) }));
        connect(s as StreamIn<ReturnType<typeof uint<2>>>, dut.from);
        return dut.to;
      },
    }),
    faults: [
      {
        what: "what arrives as the output stalls is lost",
        from: "skid_full <= 1'b1",
        to: "skid_full <= 1'b0",
      },
    ],
  },
  {
    module: "AxisRegister, 1 byte",
    harness: streamUnit("AxisRegisterProof", {
      width: 10,
      capacity: 2,
      build: s => {
        const dut = instance("dut", AxisRegister({ bytes: 1 }));
        dut.from.valid.set(s.valid);
        dut.from.payload.set({ data: s.payload.bits(0, 8), keep: s.payload.bits(8, 1), last: s.payload.bit(9) });
        s.ready.set(dut.from.ready);
        return map(dut.to, uint(10), v => pack(v as never) as never, { name: "packed" });
      },
    }),
    faults: [
      {
        what: "the held beat forgets that it ends the frame",
        from: /slice_skid_held_last <= \w+/,
        to: "slice_skid_held_last <= 1'b0",
      },
    ],
  },
];
