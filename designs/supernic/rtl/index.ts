/** SuperNIC's hardware: the blocks, and what is proved of them. */
export { supernicProofs } from "./proofs/index.ts";
export { PacketStore, type StoreParameters } from "./store/index.ts";
