/** The bursts of a request at their real sizes: beats of 16 bytes, so that 256 of them are 4 KB, and pages of 8 KB. */
import {
  assumeAlways,
  axi4Address,
  axi4MasterObeys,
  axi4Read,
  connect,
  cover,
  map,
  module,
  pack,
  producerObeys,
  type Proof,
  sink,
  source,
  struct,
  uint,
} from "../../../../hdl-dsl/index.ts";
import { addressStage, bursts } from "../../axi/index.ts";

const p = { beatBytes: 16, pageShift: 13, ppnBits: 1, pagesPerRequest: 2, addressBits: 14, idBits: 1, lengthBits: 14 };
const Request = struct({ offset: uint(p.pageShift), length: uint(p.lengthBits), ppns: uint(2) });

const harness = module(
  "BurstsAxiProof",
  () => ({ request: sink(Request), ar: source(axi4Address(p)), r: sink(axi4Read(p)), data: source(axi4Read(p)) }),
  io => {
    const burst = bursts(io.request, p);
    addressStage(
      map(burst, axi4Address(p), v => v.address, { name: "address" }),
      io.ar,
      "stage",
    );
    connect(io.r, io.data);
    producerObeys({ ...io.request, payload: pack(io.request.payload) }, "request");
    assumeAlways(io.request.valid.not().or(io.request.payload.length.any()), "a request has a byte or more");
    const { reads } = axi4MasterObeys(io, { beatBytes: p.beatBytes, outstanding: 2 });
    cover(io.ar.fire.and(io.ar.payload.len.all()), "a burst of 4 KB");
    cover(reads.any.and(io.ar.fire).and(io.ar.payload.addr.bit(13)), "a burst in the next page");
  },
);

export const burstsProof: Proof = {
  module: "bursts of a request by the rules of AXI4, beats of 16 bytes",
  harness: harness(),
  faults: [{ what: "a burst goes on over 4 KB", from: /burst_room = [^;]*;/, to: "burst_room = 8'd255;" }],
};
