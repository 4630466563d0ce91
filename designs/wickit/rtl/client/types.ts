import { bit, struct, uint } from "../../../../hdl-dsl/index.ts";
import type { EngineParameters } from "../../config/index.ts";

export interface ClientParameters extends Pick<EngineParameters, "contexts"> {
  /** Bytes of a beat of the frames: 8 to 64. */
  readonly beatBytes: number;
}

/** Who asks whom, and how patiently. Software sets it before `on`, and leaves it until the next reset. */
export const ClientConfig = struct({
  /** The client greets the node and then works. */
  on: bit,
  mac: uint(48),
  ip: uint(32),
  port: uint(16),
  nodeMac: uint(48),
  nodeIp: uint(32),
  nodePort: uint(16),
  /** The process in whose memory programs work. */
  pid: uint(16),
  /**
   * The first request's number. After a reset it must be newer than all before it: the node takes older ones for
   * repetitions.
   */
  firstId: uint(32),
  /** Cycles until a request is sent again. */
  timeout: uint(24),
  /** How often a request is sent at most; then its access ends with EXPIRED. */
  tries: uint(8),
});

/** One-cycle pulses: requests sent, those of them that are repetitions, frames that are no answer to anything. */
export const ClientEvents = struct({ sent: bit, repeated: bit, stray: bit, expired: bit });

/** Tag of the greeting: no context's. */
export const greetingTag = 0x80;
