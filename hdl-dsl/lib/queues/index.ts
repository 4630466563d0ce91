/** Queues: of one clock, between two, of whole packets, and the register of two places. */
export { AsyncFifo, type AsyncFifoParameters } from "./async-fifo.ts";
export { Fifo, type FifoParameters } from "./fifo.ts";
export { PacketFifo, type PacketFifoParameters } from "./packet-fifo.ts";
export { SkidBuffer, type SkidBufferParameters } from "./skid-buffer.ts";
