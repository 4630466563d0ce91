/** Atomics: a master with both directions, one ID, single beats. */
import {
  around,
  assumeAlways,
  axi4MasterObeys,
  cover,
  pack,
  producerObeys,
  type Proof,
} from "../../../../../hdl-dsl/index.ts";
import { SyncUnit } from "../../sync/sync-unit.ts";
import { syncOp } from "../../sync/sync-ops.ts";

const ID = 1;
const p = { slots: 2, lanes: 2, id: ID, beatBytes: 8, addressBits: 4, idBits: 1 };

const harness = around("SyncUnitAxiProof", SyncUnit(p), io => {
  const { request } = io,
    q = request.payload;
  producerObeys({ ...request, payload: pack(q) }, "request");
  assumeAlways(
    request.valid.not().or(q.op.ne(0).and(q.op.le(syncOp.derefWrite)).and(q.address.trunc(3).any().not())),
    "requests are operations on aligned words",
  );
  const { reads, writes } = axi4MasterObeys(io, {
    beatBytes: p.beatBytes,
    outstanding: p.lanes,
    beats: 1,
    apart: { cycles: 3 },
  });
  assumeAlways(io.r.valid.not().or(io.r.payload.id.eq(ID)), "r: one ID");
  assumeAlways(io.b.valid.not().or(io.b.payload.id.eq(ID)), "b: one ID");
  cover(reads.any.and(writes.any), "one reads while another writes");
  cover(writes.data, "data are before their address");
});

export const syncUnitAxiProof: Proof = {
  module: "SyncUnit by the rules of AXI4",
  harness,
  long: "minutes",
  own: true,
  reach: 16,
  faults: [
    {
      what: "the word waits until the memory takes its address (A3.3.1)",
      from: /assign w_valid = ([^;]*);/,
      to: "assign w_valid = $1 & aw_ready;",
    },
  ],
};
