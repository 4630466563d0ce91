/** Physical memory in plain TypeScript: the pool of free frames, and the hardware's buffer of them kept full. */
export { FramePool } from "./frame-pool.ts";
export { type FreePageRing, PageRefill } from "./page-refill.ts";
