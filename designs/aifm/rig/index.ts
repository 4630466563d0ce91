/** A machine that swaps objects with a memory node: what is measured of it. */
export { type LocalityOptions, measureMisses } from "./locality.ts";
export { lineBytes, type Machine, type MachineOptions, withMachine } from "./machine.ts";
export { measurePolling, type Polled, type PollingOptions } from "./polling.ts";
export { runVerb } from "./run-verb.ts";
export { measureSwap, objectSizes, pageBytes, type Swapped, type SwapOptions, type Way, ways } from "./swap.ts";
