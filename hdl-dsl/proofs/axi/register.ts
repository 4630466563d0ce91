/** The register slice, a slave on one side and a master on the other. */
import { cover } from "../../build/statements.ts";
import { Axi4Register } from "../../lib/index.ts";
import { around } from "../harness/around.ts";
import type { Proof } from "../harness/proof.ts";
import { axi4MasterObeys, axi4SlaveObeys, busOf } from "./axi4-rules.ts";

const p = { addressBits: 13, idBits: 1, beatBytes: 1 },
  /** The slice holds two of each, so its master side sees fewer than its slave side. */
  size = { beatBytes: p.beatBytes, outstanding: 2, beats: 2 };

const harness = around("Axi4RegisterProof", Axi4Register({ ...p, kind: "forward" }), io => {
  const above = axi4SlaveObeys(busOf(io, "s"), { ...size, name: "above" });
  const below = axi4MasterObeys(busOf(io, "m"), { ...size, name: "below" });
  cover(above.reads.several.and(io.sR.fire), "a read ends while another is under way");
  cover(below.writes.data, "data are before their address at the slave");
});

export const axiRegisterProofs: readonly Proof[] = [
  {
    module: "Axi4Register by the rules of AXI4",
    long: true,
    harness,
    reach: 16,
    faults: [{ what: "an answer is offered twice", from: /b_full <= [^;]*;/, to: "b_full <= b_full | m_b_valid;" }],
  },
];
