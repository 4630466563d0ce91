/** Commit engines with their nodes' memory around them; nodes and coordinators on a bad network. */
export {
  Cluster,
  clusterBase,
  clusterDirector,
  type ClusterNode,
  type ClusterOptions,
  clusterPid,
  homeAt,
} from "./cluster.ts";
export { answered, type Answered, CommitHost } from "./commit-host.ts";
export { FallibleMemory } from "./fallible-memory.ts";
export { runVerb } from "./run-verb.ts";
export { type Commits, measureCommits, type Scenario, wayCycles } from "./scenario.ts";
export { readSetup, type Setup } from "./setup.ts";
export { measureTimes, memoryCycles, type Times } from "./times.ts";
export {
  nodeEndpoint,
  type Submitted,
  type TaskArea,
  taskClient,
  TaskHost,
  type TaskHostOptions,
  taskLane,
  taskOwn,
  taskPid,
  type TaskPorts,
  taskUser,
} from "./task-host.ts";
export { areasOfTask, measureTaskCommits } from "./task-scenario.ts";
