/** Requests that more than one design is measured with. */
export { type Operation, operations, theta, valueBytes, workloads } from "./ycsb.ts";
export { Zipf } from "./zipf.ts";
