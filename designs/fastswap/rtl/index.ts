/** The hardware: two queues, a lane with them, and a memory node between two lanes. */
export { FastswapNode, type FastswapNodeParameters } from "./fastswap-node.ts";
export { PriorityLane, type PriorityLaneParameters } from "./priority-lane.ts";
export { TwoQueues, type TwoQueuesParameters } from "./two-queues.ts";
export { fastswapProofs } from "./proofs.ts";
