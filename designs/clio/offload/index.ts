/** What hosts offloads in the node, and the interface that they are written against. */
export {
  beatsOf, BodyBeat, bodyLengthBits, MemoryReply, MemoryRequest, memoryTagBits, offloadPid, offloadPorts, OffloadReply, OffloadRequest, type OffloadParameters,
} from "./types.ts";
