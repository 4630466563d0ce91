import type { Block } from "../../shared/command-line/index.ts";
import { makeSettings, type NodeConfig, parametersOf } from "../config/index.ts";
import { clioNode } from "./node.ts";

/** Modules of the node that are no block but made of some. */
export const madeOfBlocks: readonly string[] = ["ClioNode", "ClioNodeExtended", "GbnShims", "ExtendPath"];

/** Blocks that the default build lacks, and the parameters of one that has them. */
const furtherParameters = [
  { build: { transport: "gbn" }, names: ["GbnRx", "GbnTx"] },
  { build: { offloads: "all" }, names: ["OffloadSlot", "PointerChase", "ClioKv", "MultiVersion", "DataFrame"] },
] as const;

/** The blocks that a plain node lacks; none when the configuration has a transport or offloads of its own. */
export function furtherBlocks(config: NodeConfig): readonly Block[] {
  if (config.transport !== "none" || config.offloads !== "none") return [];
  return furtherParameters.map(f => ({
    definition: clioNode(makeSettings({ ...parametersOf(config), ...f.build }).config),
    names: f.names,
  }));
}
