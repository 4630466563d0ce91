/** Small pieces around streams: a queue that lets pass, fixed turns, and cells between the stages of a block. */
export { cells } from "./cells.ts";
export { passQueue } from "./pass-queue.ts";
export { turns } from "./turns.ts";
