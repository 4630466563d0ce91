/** The fetches of the page table: a master that only reads, one ID for each miss. */
import {
  around,
  assumeAlways,
  axi4MasterObeys,
  cover,
  decode,
  mux,
  node,
  offersWithin,
  type Proof,
  reg,
  uint,
} from "../../../../hdl-dsl/index.ts";
import { TableWalk } from "../../virtual-memory/rtl/index.ts";
import { table } from "./table.ts";

const MISSES = 2;
const p = { ...table, misses: MISSES, beatBytes: 16, addressBits: 12, idBits: 2 };

const harness = around("TableWalkAxiProof", TableWalk(p), io => {
  const { miss } = io.fetch.payload;
  const under = reg(uint(MISSES), { init: 0, name: "model_under_way" });
  const ended = node(mux(io.walked.valid, decode(io.walked.result.miss, MISSES), 0), { name: "model_ended" });
  under.set(under.or(mux(io.fetch.valid, decode(miss, MISSES), 0)).and(ended.not()));
  assumeAlways(io.fetch.valid.not().or(under.shr(miss).bit(0).not()), "one fetch for each miss");
  const { reads } = axi4MasterObeys(io, { beatBytes: p.beatBytes, outstanding: MISSES, beats: 4 });
  const asked = reg(uint(2), { init: 0, name: "model_asked" });
  asked.set(asked.add(io.fetch.valid.zext(2)).sub(io.ar.fire.zext(2)));
  offersWithin(2, asked.any(), io.ar.valid, "a fetch is offered to the memory, whatever it says", "fetch");
  cover(reads.several.and(io.r.fire).and(io.r.payload.last), "one of two buckets is there");
});

export const tableWalkProof: Proof = {
  module: "TableWalk by the rules of AXI4, 2 misses",
  harness,
  reach: 16,
  faults: [
    {
      what: "an address waits for the memory to be ready",
      from: "assign ar_valid = asked_valid | fetches_queued;",
      to: "assign ar_valid = (asked_valid | fetches_queued) & ar_ready;",
    },
  ],
};
