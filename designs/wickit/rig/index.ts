/** What surrounds an engine in simulation. */
export type { AccessTrace, EngineCall, EngineHostOptions, EnginePorts, EngineStream } from "./engine-call.ts";
export { EngineHost } from "./engine-host.ts";
export { bytesOfWords, clioAccess, clioMemory, wordsOfBytes } from "./clio-memory.ts";
export { FrameNode, type FrameNodeOptions } from "./frame-node.ts";
export { ClientHost, type ClientHostOptions, type ClientPorts, type WicReplyOf } from "./client-host.ts";
export { NodeHost, type NodeHostOptions, wicRequestBody } from "./node-host.ts";
export { playAt, runVerb } from "./run-verb.ts";
export { parseSetup, type Setup } from "./setup.ts";
export {
  type SnicAnswer,
  snicClient,
  SnicHost,
  type SnicHostOptions,
  snicNode,
  snicOwn,
  type SnicPorts,
  snicUser,
} from "./snic-host.ts";
export { WicClient } from "./snic-client.ts";
