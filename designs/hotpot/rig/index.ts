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
export { type Submitted, type TaskArea, TaskClients, type TaskClientsOptions } from "./task-clients.ts";
export {
  frameBytes,
  messageIn,
  type MessageIn,
  nodeEndpoint,
  replyTo,
  taskClient,
  taskLane,
  taskOwn,
  taskPid,
  taskUser,
} from "./task-frames.ts";
export { TaskHost, type TaskHostOptions, type TaskPorts } from "./task-host.ts";
export { areasOfTask, measureTaskCommits } from "./task-scenario.ts";
