import { offloadsOf, parametersOf, type NodeConfig } from "../config/index.ts";
import { extendedNode } from "../offload/index.ts";
import { offloadBuilds } from "../offloads/index.ts";
import { ClioNode, ClioNodeGbn } from "../rtl/index.ts";

/** What every build of the node is: ClioNode's ports, and those of its transport if it has one. */
export type NodeBuild = ReturnType<typeof ClioNode>;

/**
 * The node of a configuration, with its transport (`transport = gbn`: `ClioNodeGbn`) or its offloads (`offloads = chase,kv`: `ClioNodeExtended`). Registers come up with the default run-time settings; others are written over
 * AXI4-Lite.
 */
export function clioNode(c: NodeConfig): NodeBuild {
  const p = parametersOf(c), offloads = offloadsOf(c);
  if (p.transport === "gbn") return ClioNodeGbn(p) as unknown as NodeBuild;
  return offloads.length === 0 ? ClioNode(p) : extendedNode(offloads.map(o => offloadBuilds[o]))(p) as unknown as NodeBuild;
}
