/** What is proved of the shared blocks. */
export { gbnDeliveryProof } from "./gbn-delivery.ts";
export { gbnReceiverProof } from "./gbn-receiver.ts";
export { slotPoolProof } from "./slot-pool.ts";
export { tlbProof } from "./tlb.ts";
