export {
  ClientStation,
  joinController,
  joinNetwork,
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
export { codeOf, runClio } from "./run/run-clio.ts";
export { byType, gbps, latencies, percentile } from "./run/statistics.ts";
export {
  deviceName,
  monitorAddress,
  nodeCount,
  type ServeOptions,
  sessionCount,
  subnet,
  udpPort,
} from "./serve/options.ts";
export { runServeCluster } from "./serve/run-serve-cluster.ts";
export { interrupted, runServe } from "./serve/run-serve.ts";
export { realClock, UdpTransport } from "./serve/udp-transport.ts";
