/** The registers of an ExCache, for hardware and for programs. */
export { type CounterName, counterNames, exCacheMap, registerAddressBits } from "./map.ts";
