/** A cycle-accurate node for programs of this machine: behind UDP sockets, or on a TAP device. */
export { ServeError } from "./errors.ts";
export type { Network } from "./network.ts";
export { serve, simulatedSeconds, type Served, type ServeOptions } from "./serve.ts";
export { clusterTimes, serveCluster, type ClusterServeOptions, type ClusterTimes, type ServedCluster, type ServedController, type ServedMember } from "./serve-cluster.ts";
export { TapNetwork, type TapOptions } from "./tap-network.ts";
export { freePort, UdpNetwork, type UdpOptions } from "./udp-network.ts";
export { realClock, UdpTransport } from "./udp-transport.ts";
