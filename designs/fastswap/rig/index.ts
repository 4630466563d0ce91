/** The memory node between two lanes, and a machine that pages over a line to it. */
export { type FaultOptions, type FaultTimes, measureFaults, type Way, ways } from "./faults.ts";
export { lineGbps, type PagedMachine, type PagedMachineOptions, pageOf, withPagedMachine } from "./paged-machine.ts";
export { runVerb } from "./run-verb.ts";
export {
  measureSnicFaults,
  type SnicFaultOptions,
  type SnicFaultTimes,
  type SnicWay,
  snicWays,
} from "./snic-faults.ts";
