/** Proofs of the node's units: harnesses for `mnemo prove`. */
import type { Proof } from "../../../../hdl-dsl/index.ts";
import { activityProof } from "./activity.ts";
import { entryExchangeProof } from "./entry-exchange.ts";
import { fenceProofs } from "./fence.ts";
import {
  gbnDeliveryProof,
  gbnReceiverProof,
  sharedAxiProofs,
  slotPoolProof,
  tlbProof,
} from "../../../shared/proofs/index.ts";
import { nodeAxiProofs } from "./axi/index.ts";
import { matProof } from "./mat.ts";
import { partitionProofs } from "./partition.ts";
import { retryClientsProof } from "./retry-clients.ts";
import { retrySweepProof } from "./retry-sweep.ts";
import { retryTurnsProof } from "./retry-turns.ts";
import { socPortProof } from "./soc-port.ts";
import { syncUnitProof } from "./sync-unit.ts";

/** Every proof of the node's units. */
export const nodeProofs: readonly Proof[] = [
  slotPoolProof,
  tlbProof,
  ...fenceProofs,
  matProof,
  gbnReceiverProof,
  gbnDeliveryProof,
  entryExchangeProof,
  socPortProof,
  syncUnitProof,
  retryClientsProof,
  retrySweepProof,
  retryTurnsProof,
  activityProof,
  ...partitionProofs,
  ...sharedAxiProofs,
  ...nodeAxiProofs,
];
