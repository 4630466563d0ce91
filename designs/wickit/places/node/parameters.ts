import type { OffloadParameters } from "../../../clio/offload/index.ts";
import type { EngineParameters } from "../../config/index.ts";

export interface NodeWicParameters extends OffloadParameters {
  readonly engine: EngineParameters;
  /** Whose memory programs work on: that of the process that asks, with its rights, or the offload's own. */
  readonly space: "client" | "own";
  /** The process that may load the image; nobody may unless given. */
  readonly loader?: number;
  /** What BASE gives. */
  readonly base: bigint;
}
