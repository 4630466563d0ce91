/** The commit engine of a memory node. */
export { blocksBeside, buildOf, parametersOf } from "./build.ts";
export { CommitEngine } from "./engine/commit-engine.ts";
export type { CommitParameters } from "./engine/types.ts";
export { commitOffload } from "./offload.ts";
