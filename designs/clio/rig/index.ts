export {
  ClientStation,
  joinController,
  joinNetwork,
  type NodeOptions,
  type NodePorts,
  play,
  type Played,
  prepare,
  SimulatedNode,
  timeOf,
  withNode,
} from "./node/index.ts";
export {
  type MemoryTrace,
  type OffloadCall,
  type OffloadCallRequest,
  OffloadHost,
  type OffloadHostOptions,
  type OffloadPorts,
} from "./offload/index.ts";
export { counterLine, requestTable, verdict } from "./run/report.ts";
export { runVerb } from "./run/verb.ts";
export { byType, gbps, latencies, percentile } from "./run/statistics.ts";
export { serveVerb } from "./serve/verb.ts";
export { servedNode } from "./serve/node-options.ts";
export { ageCycles } from "./serve/service.ts";
export { realClock, UdpTransport } from "./serve/udp-transport.ts";
