import { deriveConfig, type NodeConfig, type Parameters, parametersSchema } from "./parameters.ts";

/** Choices for a node narrowed to one request at a time (rtl/top/small-node.ts); all sizes in bytes. */
export type NarrowParameters = Pick<
  Parameters,
  "pageSize" | "physicalMemory" | "slotsFactor" | "tlbEntries" | "freePageBuffer" | "mtuFrame" | "clientPorts"
>;

/**
 * The configuration of a narrowed node, for its slow path and the reference model. Sizes may be smaller than in
 * any build of the whole node. The queues and tables for many requests, which set the whole node's lower bounds,
 * are not there.
 * @throws ConfigError when pages, memory and table contradict each other
 */
export function narrowConfig(n: NarrowParameters): NodeConfig {
  return deriveConfig({ ...parametersSchema.parse({ dataWidth: 64 }), ...n, requestSlots: 1, outstandingMisses: 1 });
}
