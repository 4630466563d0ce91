/** What is proved of SuperNIC's blocks. */
import type { Proof } from "../../../../hdl-dsl/index.ts";
import { cellListProof } from "./cell-list.ts";
import { creditTableProof } from "./credit-table.ts";
import { joinProof } from "./join.ts";
import { linkDeliveryProof } from "./link-delivery.ts";
import { pickTurnProof } from "./pick-turn.ts";

export const supernicProofs: readonly Proof[] = [
  cellListProof,
  creditTableProof,
  joinProof,
  linkDeliveryProof,
  pickTurnProof,
];
