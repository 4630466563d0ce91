/** Tables of a few entries in registers: by content, and by age. */
export { Cam, type CamParameters } from "./cam.ts";
export { Lru, type LruParameters } from "./lru.ts";
