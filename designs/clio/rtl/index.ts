/** The memory node's hardware. */
export { EntryExchange } from "./entry_exchange.ts";
export { ClioNode, clioNode, nodeBus, translateParameters } from "./node.ts";
export { nodeProofs } from "./proofs.ts";
export { Responder, type ResponderParameters } from "./responder.ts";
export { Exchange, SocPort } from "./soc_port.ts";
export { ClioNodeGbn, type GbnNodeParameters } from "./gbn_node.ts";
