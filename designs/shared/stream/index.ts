export { cells } from "./cells.ts";
export { passQueue } from "./pass-queue.ts";
export { turns } from "./turns.ts";
