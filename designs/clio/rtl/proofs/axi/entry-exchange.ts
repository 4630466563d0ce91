/** The exchange of table entries: a slave of the node and a master of the memory, bursts of two beats. */
import {
  around,
  axi4MasterObeys,
  axi4SlaveObeys,
  busOf,
  cover,
  pack,
  producerObeys,
  type Proof,
} from "../../../../../hdl-dsl/index.ts";
import { EntryExchange } from "../../slow-path/entry-exchange.ts";

const p = { addressBits: 13, idBits: 1, beatBytes: 8 },
  size = { beatBytes: p.beatBytes, outstanding: 2, beats: 2 };

const harness = around("EntryExchangeAxiProof", EntryExchange(p), io => {
  producerObeys({ ...io.exchange, payload: pack(io.exchange.payload) }, "exchange");
  const node = axi4SlaveObeys(busOf(io, "s"), { ...size, name: "node" });
  const memory = axi4MasterObeys(busOf(io, "m"), {
    ...size,
    name: "memory",
    apart: { cycles: 3, starved: io.sW.valid.not() },
  });
  cover(io.exchanged.fire.and(io.sAr.valid), "an exchange ends while the node waits");
  cover(node.reads.several.and(memory.writes.any), "reads and a write under way");
});

export const entryExchangeAxiProof: Proof = {
  module: "EntryExchange by the rules of AXI4",
  harness,
  long: "minutes",
  reach: 20,
  faults: [
    {
      what: "data wait until the memory has taken their address (A3.3.1)",
      from: "s_w_valid & w_open",
      to: "s_w_valid & w_open & ~stands",
    },
  ],
};
