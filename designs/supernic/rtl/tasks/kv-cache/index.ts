/** A cache of values in front of a key-value node. */
export { kvCache } from "./kv-cache.ts";
