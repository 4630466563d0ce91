/** Parameters and ports of the memory node. */
import { input, type Inside, output } from "../../../../../hdl-dsl/index.ts";
import { deriveConfig, type NodeConfig, type Parameters } from "../../../config/index.ts";
import { OffloadControl, OffloadEvents, OffloadState } from "../../dispatch/events.ts";
import { activityPorts } from "../../ports/activity-ports.ts";
import { configPort, framePorts, memoryPorts } from "../../ports/node-ports.ts";
import { translateParameters, widthsOf } from "../../ports/widths.ts";

export type NodeParameters = Parameters & {
  /** Whether there is an output `net_config`, for a transport in front of the node (gbn-node.ts). */
  readonly exportsConfig?: true;
  /**
   * Whether there are `offload_events`, `offload_state` and `offload_control`, for offloads in front of the node.
   */
  readonly countsOffloads?: true;
};

const offloadsPort = {
  offloadEvents: input(OffloadEvents),
  offloadState: input(OffloadState),
  offloadControl: output(OffloadControl),
};

export const nodePorts = (p: NodeParameters) => {
  const c = deriveConfig(p),
    w = widthsOf(c);
  return {
    ...framePorts(w),
    ...memoryPorts(c, w, translateParameters(c)),
    ...(p.exportsConfig === true ? configPort : ({} as typeof configPort)),
    ...(p.countsOffloads === true ? offloadsPort : ({} as typeof offloadsPort)),
    ...(c.activityRegions > 0 ? activityPorts(c) : ({} as ReturnType<typeof activityPorts>)),
  };
};
/** The ports as the module's body sees them. */
export type NodeIo = Inside<ReturnType<typeof nodePorts>>;

/** What every part of the node is made from. */
export interface Build {
  readonly io: NodeIo;
  readonly p: NodeParameters;
  readonly c: NodeConfig;
  readonly w: ReturnType<typeof widthsOf>;
}
