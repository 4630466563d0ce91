/** The machine whose memory is far: what of Fastswap is software, as traffic for the node. */
export { FarMemory, type FarMemoryOptions, pageBytes, type QueuePair } from "./far-memory.ts";
