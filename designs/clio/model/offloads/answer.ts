import type { OffloadAnswer } from "./chase.ts";

/** One of the frames that answer a request to an offload, and whether others of the same request follow. */
export interface OffloadFrame extends OffloadAnswer {
  readonly more: boolean;
}
/** A request to an offload as a process sends it; `body`: everything behind the Clio header. */
export interface OffloadAsked {
  readonly opcode: number;
  readonly pid: number;
  readonly body: Uint8Array;
}
