import type { Offload } from "../../clio/offload/index.ts";
import { commitOpcode } from "../wire/index.ts";
import { CommitEngine } from "./engine/commit-engine.ts";

/**
 * The engine as an offload that `extendedNode` takes; it answers repetitions itself. @param base of the log
 * @param director the process that gives lanes
 */
export const commitOffload = (base: bigint, director: number): Offload => ({
  name: "commit_engine",
  opcodes: [commitOpcode],
  build: p => CommitEngine({ ...p, base, director }),
});
