/** The AXI4 masters and slaves of the shared blocks by the rules. */
import type { Proof } from "../../../../hdl-dsl/index.ts";
import { axiShareProof } from "./axi-share.ts";
import { burstsProof } from "./bursts.ts";
import { pageFaultProof } from "./page-fault.ts";
import { storeProof } from "./store.ts";
import { tableWalkProof } from "./table-walk.ts";

export const sharedAxiProofs: readonly Proof[] = [
  burstsProof,
  axiShareProof,
  tableWalkProof,
  pageFaultProof,
  storeProof,
];
