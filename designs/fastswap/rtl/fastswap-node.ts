import { type Bit, connect, instance, module, output, reg, type UInt, uint, when } from "../../../hdl-dsl/index.ts";
import { deriveConfig, type Parameters } from "../../clio/config/index.ts";
import { ClioNode, framePorts, handThrough, memoryPorts, nodeBus, translateParameters } from "../../clio/rtl/index.ts";
import type { Lanes } from "../config/index.ts";
import { PriorityLane } from "./priority-lane.ts";

export interface FastswapNodeParameters {
  readonly node: Parameters;
  readonly lanes: Lanes;
}

/** Counts that wrap. */
const countBits = 32;
const countOf = (name: string, event: Bit): UInt => {
  const count = reg(uint(countBits), { init: 0, name });
  when(event, () => count.set(count.add(1)));
  return count;
};

/**
 * A memory node between two lanes: requests and replies of critical operations go before prefetches, packet by packet
 * (Fastswap, section 4.1). The ports are the node's. `lostCritical` and `lostBulk` count frames from the line that
 * found their queue full; nothing is lost on the way out, where the node waits. Latency: the node's and 6 cycles. Each
 * frame is stored whole, twice, which takes as many cycles as it has beats.
 */
export const FastswapNode = module(
  "FastswapNode",
  (p: FastswapNodeParameters) => {
    const c = deriveConfig(p.node),
      w = nodeBus(c);
    return {
      ...framePorts(w),
      ...memoryPorts(c, w, translateParameters(c)),
      lostCritical: output(uint(countBits)),
      lostBulk: output(uint(countBits)),
    };
  },
  (io, { node: parameters, lanes }) => {
    const { classBit, patience } = lanes,
      node = instance("node", ClioNode(parameters));
    const way = instance(
      "way_in",
      PriorityLane({
        classBit,
        patience,
        clientIs: "source",
        criticalDepth: lanes.criticalIn,
        bulkDepth: lanes.bulkIn,
        drops: true,
      }),
    );
    const out = instance(
      "way_out",
      PriorityLane({
        classBit,
        patience,
        clientIs: "destination",
        criticalDepth: lanes.criticalOut,
        bulkDepth: lanes.bulkOut,
        drops: false,
      }),
    );
    connect(io.rx, way.rx);
    connect(way.tx, node.rx);
    connect(node.tx, out.rx);
    connect(out.tx, io.tx);
    connect(node.socRx, io.socRx);
    connect(io.socTx, node.socTx);
    handThrough(io, node);
    io.lostCritical.set(countOf("critical_count", way.lost.bit(0)));
    io.lostBulk.set(countOf("bulk_count", way.lost.bit(1)));
  },
);
