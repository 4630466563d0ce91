import { clockPeriod, makeSettings } from "../../config/index.ts";
import type { Given } from "../../../shared/evaluation/index.ts";

/** ns that CLib takes for an operation, in all. */
export const clibNs = 250;
/** Gbit/s of the board's port, and of a client's. */
export const boardGbps = 10,
  clientGbps = 40;
/** ns of each of the four lines between client, switch and node and back. */
export const lineNs = 500;
/** ns that a request takes to the processor and back: the board's interconnect. */
export const crossingNs = 40_000;
/** Cycles that the memory takes for the first data. */
export const dramCycles = makeSettings().runtime.dramLatency;

export const dram: Given = {
  what: "memory",
  value: `${dramCycles} cycles (${dramCycles * clockPeriod} ns) from a request to its first data, always`,
  source: "assumed: the simulation's default",
};
export const clib: Given = {
  what: "CLib",
  value: `${clibNs} ns for each operation`,
  source: 'paper 4.7.1: "250ns in total"',
};
export const ports: Given = {
  what: "ports",
  value: `${boardGbps} Gbit/s at the node, ${clientGbps} Gbit/s at clients`,
  source: "paper 4.5 and 4.7, Environment",
};
export const lines: Given = {
  what: "lines",
  value: `${lineNs} ns for each of four lines of a round trip: MAC, PHY, cable, half the switch`,
  source: "assumed: the network model's default",
};
export const crossing: Given = {
  what: "way to the processor",
  value: `${crossingNs / 1000} µs once for each request, its answer's way included`,
  source: 'paper 4.5: "high delay (40 µs)"',
};
/** Assumptions of an end-to-end latency. */
export const network: readonly Given[] = [dram, clib, ports, lines];
