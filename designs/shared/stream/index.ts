/**
 * Small pieces around streams: a queue that lets pass, one for what is late, fixed and fair turns, cells between the
 * stages of a block.
 */
export { cells } from "./cells.ts";
export { earlyQueue, earlyQueueWithLevel, lateCount, stepped } from "./early-queue.ts";
export { fairTurn, grantsBehind } from "./fair-turn.ts";
export { openPassQueue, passQueue } from "./pass-queue.ts";
export { turns } from "./turns.ts";
