/** The memory node with its surroundings, ready to be driven by frames. */
export type { NodePorts } from "./node-ports.ts";
export { NodeTransport } from "./node-transport.ts";
export { SimulatedNode, withNode, type NodeOptions } from "./simulated-node.ts";
