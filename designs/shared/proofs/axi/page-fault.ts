/** The write-back of table entries: a master that only writes, one beat, one ID for each miss. */
import {
  around,
  assumeAlways,
  axi4MasterObeys,
  cover,
  decode,
  mux,
  node,
  type Proof,
  reg,
  uint,
} from "../../../../hdl-dsl/index.ts";
import { PageFault } from "../../virtual-memory/rtl/index.ts";
import { table } from "./table.ts";

const MISSES = 2;
const p = { ...table, misses: MISSES, beatBytes: 8, addressBits: 12, idBits: 2, freePages: 2 };

const harness = around("PageFaultAxiProof", PageFault(p), io => {
  const { miss } = io.fault.result;
  const under = reg(uint(MISSES), { init: 0, name: "model_under_way" });
  const bitOf = (given: typeof io.fault.valid, of: typeof miss) => mux(given, decode(of, MISSES), 0);
  const ended = node(
    bitOf(io.written.valid, io.written.miss).or(
      bitOf(io.done.valid.and(io.done.outOfMemory.or(io.done.error)), io.done.miss),
    ),
    { name: "model_ended" },
  );
  under.set(under.or(bitOf(io.fault.valid, miss)).and(ended.not()));
  assumeAlways(io.fault.valid.not().or(under.shr(miss).bit(0).not()), "one fault for each miss");
  const { writes } = axi4MasterObeys(io, {
    beatBytes: p.beatBytes,
    outstanding: MISSES,
    beats: 1,
    apart: { cycles: 2 },
  });
  cover(writes.several.and(io.b.fire), "one of two entries is written");
  cover(writes.data, "data are before their address");
});

export const pageFaultProof: Proof = {
  module: "PageFault by the rules of AXI4, 2 misses",
  long: true,
  harness,
  reach: 16,
  faults: [
    {
      what: "the entry waits until its address is taken (A3.3.1)",
      from: /assign w_valid = ([^;]*);/,
      to: "assign w_valid = $1 & aw_ready;",
    },
    { what: "two beats are announced", from: /assign aw_payload_len = [^;]*;/, to: "assign aw_payload_len = 8'd1;" },
  ],
};
