/** What the stages of net_rx hand to one another, and its sizes. */
import { bit, type Bit, struct, type UInt, type Val } from "../../../../../hdl-dsl/index.ts";
import { casBody, frameOffsets } from "../../../wire/index.ts";
import { FrameKind, NetRequest } from "../../records/records.ts";

export interface NetRxParameters {
  readonly beatBytes: number;
  readonly slots: number;
  /** Largest frame accepted, bytes without FCS. */
  readonly frameBytes: number;
  /** Number of consecutive ports from `config.clientPort` on. */
  readonly clientPorts: number;
  /**
   * Without the registers between the stages (cells.ts): `request` is valid in the cycle after the last beat, and
   * follows the header register until it fires. A dropped frame's pulses come 2 cycles after. `context_write.value`
   * stays as it is until the next frame's first beat.
   */
  readonly compact?: true;
  /**
   * Offloads stand in front of the node (../../../offload): a sender with the group bit and without the highest bit of
   * the first byte is one of them. No frame from outside comes so.
   */
  readonly internal?: true;
  /**
   * Processes can have keys, which stand in a table beside it (../process-keys.ts): `key_read`, `key` and
   * `keys_clearing` go there. Not with `compact`.
   */
  readonly keys?: true;
}

/** Bytes at a frame's start that are kept: up to the operands of the longest atomic. */
export const headerBytes = frameOffsets.body + casBody.bytes;

/** A whole frame that waits to be judged, when `pending`. */
export interface Frame {
  readonly pending: Bit;
  readonly slot: UInt;
  /** Its first bytes, byte 0 lowest. Those that it does not have are of frames before it. */
  readonly header: UInt;
  /** Number of its last byte. All ones or nearly so: it goes past its slot. */
  readonly lastByte: UInt;
  /** The MAC found its FCS wrong. */
  readonly bad: Bit;
}

/** What the first stage knows of a frame, beside the rules that it breaks. */
export const Judged = (p: NetRxParameters) =>
  struct({
    kind: FrameKind,
    bad: bit,
    tooLong: bit,
    request: NetRequest(p),
  });
export type Judged = Val<ReturnType<typeof Judged>>;
