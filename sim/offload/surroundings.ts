import type { offloadPorts } from "../../designs/clio/offload/index.ts";
import type { Pause } from "../bus/pause.ts";
import type { Io } from "../dut/types.ts";
import type { Random } from "../random.ts";
import type { Simulation } from "../simulation.ts";

/** The ports of an offload. */
export type OffloadPorts = ReturnType<typeof offloadPorts>;
/** One of its streams. */
export type OffloadStream = keyof OffloadPorts;

/** What both sides of the host work with. */
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
