import { parametersOf, type NodeConfig } from "../config/index.ts";
import { ClioNodeGbn } from "./gbn_node.ts";
import { ClioNode } from "./node.ts";

/** What every build of the node is: ClioNode's ports, and those of its transport if it has one. */
export type NodeBuild = ReturnType<typeof ClioNode>;

/**
 * The node of a configuration, with its transport (`transport = gbn`: `ClioNodeGbn`). Registers come up with the default run-time settings; others are written over
 * AXI4-Lite.
 */
export function clioNode(c: NodeConfig): NodeBuild {
  const p = parametersOf(c);
  return p.transport === "gbn" ? ClioNodeGbn(p) as unknown as NodeBuild : ClioNode(p);
}
