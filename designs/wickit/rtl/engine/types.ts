/** Ports of the engine. All streams have AXI's rules; words of 64 bits follow their headers, in the headers' order. */
import { bitsFor, enumOf, input, output, sink, source, struct, uint } from "../../../../hdl-dsl/index.ts";
import { contextBits, type EngineParameters, tagBits } from "../../config/index.ts";

/** A request: `words` (0 to 8) arguments follow on `request_data`. `tag` comes back with the reply. */
export const WicRequest = struct({ tag: uint(tagBits), program: uint(16), words: uint(4) });
/** Its reply: `words` words follow on `reply_data`; none unless `status` is OK. */
export const WicReply = struct({ tag: uint(tagBits), status: uint(4), words: uint(4) });

/** What is done at the memory; the codes are the lowest bits of the instructions'. */
export const AccessKind = enumOf("AccessKind", ["load", "store", "tas", "cas", "faa", "put"]);
/**
 * An access of 8 x `words` bytes at `va`, for a context that has no other. STORE sends `words` words on `memory_data`,
 * CAS two (expected, new), FAA and PUT one; `words` is 1 for all four atomics. `tag` is the request's.
 */
export const MemoryAsk = (p: Pick<EngineParameters, "contexts">) =>
  struct({ context: uint(contextBits(p)), tag: uint(tagBits), kind: AccessKind, va: uint(64), words: uint(4) });
/** Its answer, in any order: `words` words follow; none with a status that is not OK, which ends the request. */
export const MemoryAnswer = (p: Pick<EngineParameters, "contexts">) =>
  struct({ context: uint(contextBits(p)), status: uint(4), words: uint(4) });

/** An instruction for the program memory. */
export const ProgramWrite = struct({ address: uint(16), instruction: uint(32) });
/** Contexts that are free, and accesses under way. */
export const EngineState = (p: EngineParameters) =>
  struct({ free: uint(bitsFor(p.contexts)), inFlight: uint(bitsFor(p.maxInFlight)) });

export const Word = uint(64);
export const enginePorts = (p: EngineParameters) => ({
  request: sink(WicRequest),
  requestData: sink(Word),
  reply: source(WicReply),
  replyData: source(Word),
  memory: source(MemoryAsk(p)),
  memoryData: source(Word),
  memoryReply: sink(MemoryAnswer(p)),
  memoryReplyData: sink(Word),
  /** Taken in the cycle in which it comes; a request that comes with it waits. */
  load: sink(ProgramWrite),
  /** What BASE gives. */
  base: input(uint(64)),
  state: output(EngineState(p)),
});
