/** The engine and its ports. */
export { WicEngine } from "./engine/wic-engine.ts";
export {
  AccessKind,
  enginePorts,
  EngineState,
  MemoryAnswer,
  MemoryAsk,
  ProgramWrite,
  WicReply,
  WicRequest,
  Word,
} from "./engine/types.ts";
export { wordsOf } from "./engine/sends.ts";
export { type Begin, beatsToWords, wordsToBeats } from "./words/words.ts";
export { ClientWic, type ClientWicParameters } from "./client/client-wic.ts";
export { ClioRequester } from "./client/clio-requester.ts";
export { ClientConfig, ClientEvents, type ClientParameters, greetingTag } from "./client/types.ts";
export { contextProof } from "./proofs/contexts.ts";
