import type { Def } from "../../../hdl-dsl/index.ts";
import { gbnHeader } from "../../shared/go-back-n/wire/index.ts";
import { type NodeConfig, offloadsOf, parametersOf } from "../config/index.ts";
import { extendedNode } from "../offload/index.ts";
import { offloadBuilds } from "../offloads/index.ts";
import { ClioNode, ClioNodeGbn, ClioNodePartitioned, goBackNNode, type NodePorts, partBit } from "../rtl/index.ts";

/** Type of every build of the node: ports that all have. Transport, offloads and partitions can add some. */
export type NodeBuild = Def<NodePorts>;

/**
 * The node of a configuration. With a transport (`transport = gbn`) it is `ClioNodeGbn`, with offloads
 * (`offloads = chase,kv`) `ClioNodeExtended`. With both it is `ClioNodeGbnExtended` (the transport is outermost), in
 * partitions (`partitions = 2`) `ClioNodePartitioned`. Registers come up with the default run-time settings; others are
 * written over AXI4-Lite.
 */
export function clioNode(c: NodeConfig): NodeBuild {
  const p = parametersOf(c),
    offloads = offloadsOf(c).map(o => offloadBuilds[o]),
    gbn = p.transport === "gbn";
  if (c.partitions > 1) return ClioNodePartitioned(p);
  if (offloads.length === 0) return gbn ? ClioNodeGbn(p) : ClioNode(p);
  if (!gbn) return extendedNode(offloads)(p);
  const inside = extendedNode(offloads, { partBit, transportBytes: gbnHeader.bytes });
  return goBackNNode({
    build: q => inside(q),
    nameOf: q => inside(q).name,
    requests: inside.requests,
    marksParts: true,
  })(p);
}
