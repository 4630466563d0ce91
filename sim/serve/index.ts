/** A cycle-accurate node for programs of this machine: behind UDP sockets, or on a TAP device. */
export { ServeError } from "./errors.ts";
export type { Network } from "./network.ts";
export { FrameReader, lengthPrefixed } from "./frame-pipe.ts";
export { tapHelper } from "./tap-helper.ts";
