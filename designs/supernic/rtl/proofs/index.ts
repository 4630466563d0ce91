/** What is proved of SuperNIC's blocks. Page: docs/supernic/proofs.md. */
import type { Proof } from "../../../../hdl-dsl/index.ts";
import { beatPoolProof } from "./beat-pool.ts";
import { cellListProof } from "./cell-list.ts";
import { classListsProof } from "./class-lists.ts";
import { contextPoolProofs } from "./context-pool.ts";
import { creditTableProof } from "./credit-table.ts";
import { decisionProof } from "./decision.ts";
import { egressListsProofs } from "./egress-lists.ts";
import { twoTurnsProof } from "./fair-turn.ts";
import { flowTableProof } from "./flow-table.ts";
import { joinProof } from "./join.ts";
import { classQueuesLedgerProof } from "./ledger/class-queues.ts";
import { judgeLedgerProof } from "./ledger/judge.ts";
import { laneLedgerProofs } from "./ledger/lane.ts";
import { matchLedgerProofs } from "./ledger/match.ts";
import { ringLedgerProofs } from "./ledger/ring.ts";
import { linkDeliveryProof } from "./link-delivery.ts";
import { pageOwnerProof } from "./memory/page-owner.ts";
import { pageSpaceProof } from "./memory/page-space.ts";
import { zeroedProof } from "./memory/zeroed.ts";
import { wayAnswersProofs } from "./memory/way-answers.ts";
import { wayPiecesProof } from "./memory/way-pieces.ts";
import { meterProof } from "./meter.ts";
import { passQueueProofs } from "./pass-queue.ts";
import { pickTurnProof } from "./pick-turn.ts";
import { queueFreedProof } from "./queues/freed.ts";
import { queueOrderProofs } from "./queues/order.ts";
import { reaperProofs } from "./reaper.ts";
import { releasesProof } from "./releases.ts";
import { returnProof } from "./return.ts";
import { slotOrderProof } from "./slot-order.ts";
import { gateOpensProof } from "./spill/gate-opens.ts";
import { recordsFoundProof } from "./spill/records-found.ts";
import { ringRoomProof } from "./spill/ring-room.ts";
import { shownHeadsProof } from "./spill/shown-heads.ts";

export const supernicProofs: readonly Proof[] = [
  beatPoolProof,
  cellListProof,
  classListsProof,
  classQueuesLedgerProof,
  ...contextPoolProofs,
  creditTableProof,
  decisionProof,
  ...egressListsProofs,
  flowTableProof,
  gateOpensProof,
  joinProof,
  judgeLedgerProof,
  ...laneLedgerProofs,
  linkDeliveryProof,
  ...matchLedgerProofs,
  meterProof,
  pageOwnerProof,
  pageSpaceProof,
  ...passQueueProofs,
  pickTurnProof,
  queueFreedProof,
  ...queueOrderProofs,
  ...reaperProofs,
  recordsFoundProof,
  releasesProof,
  returnProof,
  ...ringLedgerProofs,
  ringRoomProof,
  shownHeadsProof,
  slotOrderProof,
  twoTurnsProof,
  ...wayAnswersProofs,
  wayPiecesProof,
  zeroedProof,
];
