/** The blocks of Go-Back-N sessions: receiver, sender, store of frames not acknowledged, and the order of replies. */
export { type AnswerEnds, answerFrame, answerOwnSum, answerSum } from "./answer-frame.ts";
export { GbnFrames, gbnFramesKept } from "./frames.ts";
export { GbnPacket, GbnReceiver, type GbnReceiverParameters } from "./receiver.ts";
export { GbnReorder } from "./reorder.ts";
export { GbnResend } from "./resend.ts";
export { type GbnUnits, partWays, sendAgain, Ways } from "./sending.ts";
export { GbnSender, type GbnSenderParameters } from "./sender.ts";
export {
  FramePlace,
  frameSpace,
  gbnMemory,
  GbnStore,
  type GbnStoreParameters,
  lengthBitsOf,
  writtenBits,
} from "./store.ts";
export { GbnAction, GbnInsert, GbnRemove, type GbnShiftParameters, InsertPlan, RemovePlan } from "./shift.ts";
export { lifeBit, partBit, tagBits, tagPrefix } from "./tags.ts";
export {
  Acknowledgement,
  Answer,
  gbnBytes,
  gbnEnd,
  GbnFrameKind,
  gbnOffset,
  lifeBits,
  Named,
  namedEvery,
  PeerFields,
  sessionBits,
  SessionControl,
  type SessionParameters,
  ticketBits,
  Turn,
  wirePeer,
  wireSequenceBits,
  wireSlotBits,
} from "./types.ts";
