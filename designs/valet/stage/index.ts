/** Writes to a region that moves wait here: at the compute side, or at the sNIC that stands before it. */
export type { Failure, FarBytes } from "./far-bytes.ts";
export { type StageStatistics, WriteStage, type WriteStageOptions } from "./write-stage.ts";
