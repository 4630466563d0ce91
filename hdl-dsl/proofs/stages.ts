/** The register stages of streams. */
import { stage } from "../stream/stage.ts";
import type { Proof } from "./harness/proof.ts";
import { streamUnit } from "./harness/stream-unit.ts";

/** Every kind: a queue of one or two elements under the stream rules, accepting whenever there is room. */
export const stageProofs: readonly Proof[] = [
  {
    module: "stage, forward",
    harness: streamUnit("ForwardStageProof", {
      width: 2,
      capacity: 1,
      build: s => stage(s, "forward", { name: "dut" }),
    }),
    faults: [
      { what: "it accepts when it is full", from: /dut_full_when = ~dut_full \| \w+/, to: "dut_full_when = 1'b1" },
    ],
  },
  {
    module: "stage, backward",
    harness: streamUnit("BackwardStageProof", {
      width: 2,
      capacity: 1,
      build: s => stage(s, "backward", { name: "dut" }),
    }),
    faults: [
      { what: "what was held is not what goes out", from: "dut_full ? dut_held : from_payload", to: "from_payload" },
    ],
  },
  {
    module: "stage, full",
    harness: streamUnit("FullStageProof", { width: 2, capacity: 2, build: s => stage(s, "full", { name: "dut" }) }),
    faults: [
      {
        what: "it accepts when it is full",
        from: "assign from_ready = ~dut_skid_full",
        to: "assign from_ready = 1'b1",
      },
    ],
  },
];
