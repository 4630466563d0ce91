/** Counters of events, many in one memory. */
export { Counters, counterBits, type CountersParameters } from "./counters.ts";
