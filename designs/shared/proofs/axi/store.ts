/** The frames of Go-Back-N in memory: a master with both directions, one ID, bursts as long as a frame. */
import {
  around,
  assumeAlways,
  axi4MasterObeys,
  cat,
  constant,
  cover,
  decode,
  mux,
  pack,
  producerObeys,
  type Proof,
  reg,
  type UInt,
  uint,
  when,
} from "../../../../hdl-dsl/index.ts";
import { GbnStore } from "../../go-back-n/rtl/index.ts";

const BEATS = 2;
const p = {
  sessions: 2,
  sequenceBits: 2,
  window: 2,
  beatBytes: 8,
  frameBytes: BEATS * 8,
  addressBits: 12,
  idBits: 1,
  base: 0,
};

const harness = around("GbnStoreAxiProof", GbnStore(p), io => {
  const { bytes } = io.place.payload;
  producerObeys({ ...io.place, payload: pack(io.place.payload) }, "place");
  producerObeys({ ...io.beats, payload: pack(io.beats.payload) }, "beats");
  producerObeys({ ...io.read, payload: pack(io.read.payload) }, "read");
  assumeAlways(
    io.place.valid.not().or(bytes.any().and(bytes.le(p.frameBytes))),
    "a frame has a byte or more, and no more than fit",
  );
  // The beats of a frame come behind its place, as many as its bytes take; the next place when they have.
  const due = reg(uint(2), { init: 0, name: "model_due" });
  assumeAlways(io.place.valid.and(due.any()).not(), "one frame at a time");
  assumeAlways(io.beats.valid.not().or(due.any()), "beats come behind their place");
  assumeAlways(io.beats.valid.not().or(io.beats.payload.last.eq(due.eq(1))), "as many as the frame has");
  when(io.place.fire, () => due.set(mux(bytes.gt(8), constant(2, 2), 1))).elseWhen(io.beats.fire, () =>
    due.set(due.sub(1)),
  );
  // What is read was written: its length is known.
  const places = p.sessions * p.window,
    at = (v: typeof io.read.payload): UInt => cat(v.session, v.place),
    written = reg(uint(places), { init: 0, name: "model_written" });
  when(io.place.fire, () => written.set(written.or(decode(at(io.place.payload.at), places))));
  assumeAlways(io.read.valid.not().or(written.shr(at(io.read.payload)).bit(0)), "only what was written is read");
  const { reads, writes } = axi4MasterObeys(io, {
    beatBytes: p.beatBytes,
    outstanding: 2,
    beats: BEATS,
    apart: { cycles: 3, starved: io.beats.valid.not().and(due.any()) },
  });
  cover(writes.data, "data are before their address");
  cover(reads.any.and(io.r.fire).and(io.r.payload.last), "a frame is read");
});

export const storeProof: Proof = {
  module: "GbnStore by the rules of AXI4",
  harness,
  long: "minutes",
  own: true,
  reach: 16,
  faults: [
    {
      what: "data wait until the memory takes their address (A3.3.1)",
      from: /assign w_valid = ([^;]*);/,
      to: "assign w_valid = $1 & (aw_ready | ~aw_valid);",
    },
  ],
};
