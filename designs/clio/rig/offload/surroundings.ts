import type { offloadPorts } from "../../offload/index.ts";
import type { Io, Pause, Random, Simulation } from "../../../../sim/index.ts";

/** The ports of an offload. */
export type OffloadPorts = ReturnType<typeof offloadPorts>;
/** One of its streams. */
export type OffloadStream = keyof OffloadPorts;

/** Services for both sides of the host. */
export interface Surroundings {
  readonly sim: Simulation;
  readonly io: Io<OffloadPorts>;
  readonly random: Random;
  readonly pause: (stream: OffloadStream) => Pause;
  /** Beats of a body wait until their header has been taken. */
  readonly hold: boolean;
  /** Bytes of the longest reply. */
  readonly mostReply: number;
}
