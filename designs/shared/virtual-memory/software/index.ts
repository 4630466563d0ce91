/** Physical memory in plain TypeScript: the pool of free frames. */
export { FramePool } from "./frame-pool.ts";
