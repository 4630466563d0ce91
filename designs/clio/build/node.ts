import { gbnHeader } from "../../shared/go-back-n/wire/index.ts";
import { offloadsOf, parametersOf, type NodeConfig } from "../config/index.ts";
import { extendedNode } from "../offload/index.ts";
import { offloadBuilds } from "../offloads/index.ts";
import { ClioNode, ClioNodeGbn, ClioNodePartitioned, goBackNNode, partBit } from "../rtl/index.ts";

/** What every build of the node is: ClioNode's ports, and those of its transport if it has one. */
export type NodeBuild = ReturnType<typeof ClioNode>;

/**
 * The node of a configuration, with its transport (`transport = gbn`: `ClioNodeGbn`), its offloads
 * (`offloads = chase,kv`: `ClioNodeExtended`) or both (`ClioNodeGbnExtended`: the transport is outermost), or in
 * partitions (`partitions = 2`: `ClioNodePartitioned`). Registers come up with the default run-time settings; others
 * are written over AXI4-Lite.
 */
export function clioNode(c: NodeConfig): NodeBuild {
  const p = parametersOf(c),
    offloads = offloadsOf(c).map(o => offloadBuilds[o]),
    gbn = p.transport === "gbn";
  if (c.partitions > 1) return ClioNodePartitioned(p) as unknown as NodeBuild;
  if (offloads.length === 0) return gbn ? (ClioNodeGbn(p) as unknown as NodeBuild) : ClioNode(p);
  if (!gbn) return extendedNode(offloads)(p) as unknown as NodeBuild;
  const inside = extendedNode(offloads, { partBit, transportBytes: gbnHeader.bytes });
  return goBackNNode({
    build: q => inside(q) as unknown as NodeBuild,
    nameOf: q => inside(q).name,
    requests: inside.requests,
    marksParts: true,
  })(p) as unknown as NodeBuild;
}
