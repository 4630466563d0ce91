/** The compute side, or the sNIC that stands before it: writes to a region that moves wait here. */
export { ClusterBytes, type ClusterBytesOptions } from "./cluster-bytes.ts";
export type { Failure, FarBytes } from "./far-bytes.ts";
export { type StageStatistics, WriteStage, type WriteStageOptions } from "./write-stage.ts";
