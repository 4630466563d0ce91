/** Clio-KV (paper §4.6): a key-value store in the node. */
export { ClioKv } from "./kv.ts";
export { kvDefaults, largestValue, type KvParameters } from "./parameters.ts";
