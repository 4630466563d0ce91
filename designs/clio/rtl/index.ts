/** The memory node's hardware. */
export { ClioNode, clioNode, translateParameters } from "./node.ts";
export { nodeProofs } from "./proofs.ts";
