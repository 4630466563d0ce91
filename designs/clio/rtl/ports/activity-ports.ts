import { bit, output, sink, source } from "../../../../hdl-dsl/index.ts";
import type { NodeConfig } from "../../config/index.ts";
import { ActivityCommand, type ActivityParameters, ActivityResult } from "../activity/index.ts";

/** Cycles of a tick, as a power of two: about those of a scan, so that 32 bits wrap after five hours at 250 MHz. */
const tickBits = 10,
  stampBits = 32;

/** The table of a node of this configuration. */
export const activityTableOf = (c: Pick<NodeConfig, "activityRegions">): ActivityParameters => ({
  regions: c.activityRegions,
  stampBits,
  tickBits,
});

/** The ports of a build with `activityRegions`, for the slow path. */
export const activityPorts = (c: Pick<NodeConfig, "activityRegions">) => {
  const size = activityTableOf(c);
  return {
    activityCommand: sink(ActivityCommand(size)),
    activityResult: source(ActivityResult(size)),
    activityOverdue: output(bit),
  };
};
export type ActivityPorts = ReturnType<typeof activityPorts>;
