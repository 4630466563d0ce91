/** The memory node's hardware. */
export { EntryExchange } from "./slow-path/entry-exchange.ts";
export { ClioNode } from "./top/node.ts";
export { nodeBus, translateParameters } from "./ports/widths.ts";
export { nodeProofs } from "./proofs/index.ts";
export { SmallNode } from "./top/small-node.ts";
export { smallBus, smallNodeParameters, type SmallNodeParameters } from "./top/small-node/ports.ts";
export { SocPort } from "./slow-path/soc-port.ts";
export { Exchange } from "./slow-path/soc-port/ports.ts";
export { ClioNodeGbn, goBackNNode, type BehindGoBackN, type GbnNodeParameters } from "./top/gbn-node.ts";
export { ClioNodePartitioned } from "./top/partitioned-node.ts";

export {
  OffloadControl,
  OffloadEvents,
  OffloadState,
  ProcessOrder,
  ProcessState,
  sinceUnit,
} from "./dispatch/events.ts";

export { Shootdown } from "./memory/translate.ts";
export { NetConfig, type Translated } from "./records/records.ts";
export { gbnDefaults } from "./transport/gbn-shims.ts";
export { partBit } from "../../shared/go-back-n/rtl/index.ts";
export { turnCycles } from "./retry/retry-verdict/turns.ts";

export { configPort, framePorts, handThrough, memoryPorts, type NodePorts } from "./ports/node-ports.ts";
export { type ActivityPorts } from "./ports/activity-ports.ts";
export { activityOp } from "./activity/index.ts";
