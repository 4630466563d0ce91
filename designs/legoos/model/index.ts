/** What the ExCache must look like: flat memory in front, and the nodes behind. */
export { type Answered, DoubtfulMemory } from "./doubtful-memory.ts";
export { type Asked, type Expected, FlatMemory, type Rights } from "./flat-memory.ts";
export { MemoryNodes, type NodeReply } from "./memory-nodes.ts";
