/** Tables and requests of the tasks in front of memory nodes. */
export * from "./kv-cache.ts";
export * from "./replicate.ts";
