/** Who commits, as a network task of a SmartNIC. */
export { CommitTask, commitTask, commitTaskPorts } from "./commit-task.ts";
export type { CommitTaskParameters } from "./records.ts";
