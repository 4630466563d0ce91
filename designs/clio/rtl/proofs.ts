/** Proofs of the node's units: harnesses for `mnemo prove`. */
import type { Proof } from "../../../hdl-dsl/index.ts";
import { entryExchangeProof } from "./entry_exchange_proof.ts";
import { fenceProofs } from "./fence_proof.ts";
import { gbnDeliveryProof } from "./gbn_delivery_proof.ts";
import { gbnReceiverProof } from "./gbn_receiver_proof.ts";
import { partitionProofs } from "./partition_proof.ts";
import { slotPoolProof } from "./slot_pool_proof.ts";
import { socPortProof } from "./soc_port_proof.ts";
import { tlbProof } from "./tlb_proof.ts";

/** Every proof of the node's units. */
export const nodeProofs: readonly Proof[] = [slotPoolProof, tlbProof, ...fenceProofs, gbnReceiverProof, gbnDeliveryProof, entryExchangeProof, socPortProof, ...partitionProofs];
