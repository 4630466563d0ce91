/** Two masters on one bus: each sees a slave by the rules, and the memory sees a master by the rules. */
import {
  around,
  assumeAlways,
  axi4MasterObeys,
  axi4SlaveObeys,
  busOf,
  cover,
  type Proof,
} from "../../../../hdl-dsl/index.ts";
import { AxiShare } from "../../axi/index.ts";

const p = { addressBits: 13, idBits: 1, beatBytes: 1 },
  size = { beatBytes: p.beatBytes, beats: 2 };
const masters = ["lower", "upper"] as const;

const harness = around(
  "AxiShareProof",
  AxiShare({ ...p, writes: 1, masters: masters.map((name, id) => ({ name, id })) }),
  io => {
    const sides = masters.map((name, id) => {
      const bus = busOf(io, name);
      assumeAlways(bus.ar.valid.not().or(bus.ar.payload.id.eq(id)), `${name}: reads have its ID`);
      assumeAlways(bus.aw.valid.not().or(bus.aw.payload.id.eq(id)), `${name}: writes have its ID`);
      return axi4SlaveObeys(bus, { ...size, name, outstanding: 1 });
    });
    const memory = axi4MasterObeys(io, {
      ...size,
      name: "memory",
      outstanding: 2,
      apart: { cycles: 3, starved: io.lowerW.valid.and(io.upperW.valid).not() },
    });
    cover(memory.reads.several, "reads of both under way");
    cover(memory.writes.any.and(io.aw.fire), "a write begins while another is answered");
    cover(memory.writes.data, "data are at the memory before their address");
    cover(
      sides.length === 2 ? io.lowerR.fire.and(memory.reads.several) : io.lowerR.fire,
      "one of two reads is answered",
    );
  },
);

export const axiShareProof: Proof = {
  module: "AxiShare by the rules of AXI4, 2 masters",
  harness,
  long: "minutes",
  faults: [
    {
      what: "data wait until the memory has taken their address (A3.3.1)",
      from: "wire granted_1_valid = write_grant_valid & ~granted_1_done;",
      to: "wire granted_1_valid = write_grant_valid & ~granted_1_done & (granted_0_done | aw_ready);",
    },
    {
      what: "an address is offered again while its data's turn is not written down",
      from: /granted_0_done <= write_grant_valid[^;]*;/,
      to: "granted_0_done <= 1'b0;",
    },
  ],
};
