/**
 * Go-Back-N in plain TypeScript (wire-format.md "Go-Back-N build"): what the hardware beside it is held against, and
 * what a client speaks.
 */

export { GbnReceiverModel, type GbnAnswer } from "./receiver.ts";
export { GbnSenderModel } from "./sender.ts";
export { sequenceDistance, sequencePlus } from "./sequence.ts";
export { GbnSession, type GbnSessionOptions } from "./session.ts";
