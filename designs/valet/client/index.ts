/** A process of a cluster of memory nodes, behind a stage. */
export { ClusterBytes, type ClusterBytesOptions } from "./cluster-bytes.ts";
