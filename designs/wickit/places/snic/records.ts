/** What the task keeps of each request, and how large it is. */
import { struct, uint } from "../../../../hdl-dsl/index.ts";
import type { EngineParameters } from "../../config/index.ts";

export interface SnicWicParameters {
  readonly engine: EngineParameters;
  /** Requests that are worked on or whose replies are kept: a power of two, 16 to 256. */
  readonly slots: number;
}
export const slotBitsOf = (p: Pick<SnicWicParameters, "slots">): number => Math.log2(p.slots);

/** Who asks for what: address and port of the client, and the number of its operation's first request. */
export const Asker = struct({ ip: uint(32), port: uint(16), operation: uint(32) });
/** What the reply's headers need of the newest request of an operation. */
export const Asked = struct({
  /** MAC address of the client, and the one that it sent to. */
  mac: uint(48),
  to: uint(48),
  ip: uint(32),
  port: uint(16),
  tag: uint(8),
  flagRoute: uint(1),
  flagRepl: uint(1),
  flagTracked: uint(1),
  flagRetry: uint(1),
  seqId: uint(8),
  requestId: uint(32),
  retryOf: uint(32),
  /** Port of the device where it came in. */
  ingress: uint(4),
});
/** How a request ended: Clio's status, and the words of its reply, 0 to 8. */
export const Outcome = struct({ status: uint(4), words: uint(4) });
