/** What is proved of SuperNIC's blocks. */
import type { Proof } from "../../../../hdl-dsl/index.ts";
import { beatPoolProof } from "./beat-pool.ts";
import { cellListProof } from "./cell-list.ts";
import { classListsProof } from "./class-lists.ts";
import { creditTableProof } from "./credit-table.ts";
import { joinProof } from "./join.ts";
import { linkDeliveryProof } from "./link-delivery.ts";
import { pickTurnProof } from "./pick-turn.ts";

export const supernicProofs: readonly Proof[] = [
  beatPoolProof,
  cellListProof,
  classListsProof,
  creditTableProof,
  joinProof,
  linkDeliveryProof,
  pickTurnProof,
];
