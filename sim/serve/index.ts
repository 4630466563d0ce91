/** Ways from this machine's network to a served design and back: a TAP device, UDP sockets, frames over a pipe. */
export { ServeError } from "./errors.ts";
export type { Network } from "./network.ts";
export { TapPipe, type TapOptions } from "./tap-pipe.ts";
export { FrameReader, lengthPrefixed } from "./frame-pipe.ts";
export { tapHelper } from "./tap-helper.ts";
export { socketDrops } from "./socket-drops.ts";
export { freeUdpPort, openUdp, type SocketRemedies } from "./udp-socket.ts";
