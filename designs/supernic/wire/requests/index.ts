/** Tables and requests of the tasks in front of memory nodes. */
export * from "./go-back-n.ts";
export * from "./kv-cache.ts";
export * from "./replicate.ts";
