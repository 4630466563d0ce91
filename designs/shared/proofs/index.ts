/** What is proved of the shared blocks. */
export { sharedAxiProofs } from "./axi/index.ts";
export { gbnDeliveryProof } from "./gbn-delivery.ts";
export { gbnReceiverProof } from "./gbn-receiver.ts";
export { gbnReorderProof } from "./gbn-reorder.ts";
export { slotPoolProof } from "./slot-pool.ts";
export { tlbProof } from "./tlb.ts";
