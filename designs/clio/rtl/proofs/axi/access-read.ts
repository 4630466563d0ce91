/** Reads of requests: a master that only reads, one ID, bursts to the end of a page. */
import {
  around,
  assumeAlways,
  axi4MasterObeys,
  cover,
  pack,
  producerObeys,
  type Proof,
} from "../../../../../hdl-dsl/index.ts";
import { AccessRead } from "../../memory/access-read.ts";
import { paged } from "./paged.ts";

const harness = around("AccessReadAxiProof", AccessRead({ ...paged, outstanding: 2, dataBeats: 2 }), io => {
  const { request } = io;
  producerObeys({ ...request, payload: pack(request.payload) }, "request");
  assumeAlways(
    request.valid.not().or(request.payload.length.any().and(request.payload.length.le(paged.longest))),
    "a request has a byte or more, in its pages",
  );
  const { reads } = axi4MasterObeys(io, { beatBytes: paged.beatBytes, outstanding: 2, beats: paged.windowBeats });
  assumeAlways(io.r.valid.not().or(io.r.payload.id.eq(0)), "one ID");
  cover(reads.several.and(io.r.fire).and(io.r.payload.last), "one of two bursts is there");
});

export const accessReadProof: Proof = {
  module: "AccessRead by the rules of AXI4",
  harness,
  own: true,
  reach: 16,
  faults: [
    {
      what: "an address that waits is replaced by the next one",
      from: /assign ar_next_ready = [^;]*;/,
      to: "assign ar_next_ready = 1'b1;",
    },
  ],
};
