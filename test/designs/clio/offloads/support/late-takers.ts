import type { OffloadPorts } from "../../../../../designs/clio/rig/index.ts";
import { type Bench, never, type Pause } from "../../../../../sim/index.ts";
import { afterValid } from "../../../../support/after-valid.ts";

const taken: ReadonlySet<keyof OffloadPorts> = new Set(["memory", "memoryData", "reply", "replyData"]);

/** Whoever takes something from an offload is ready only after a valid. */
export const lateTakers =
  (b: Bench<OffloadPorts>) =>
  (stream: keyof OffloadPorts): Pause =>
    taken.has(stream) ? afterValid(b.io[stream]) : never;
