export { FramePool } from "./frame-pool.ts";
