/** A virtual private cloud over two sNICs, cycle by cycle. */
export { coreBeats, measureVpc, type VpcLoad, type VpcRate } from "./measure.ts";
export type { Change } from "./pair.ts";
export { type Chain, chains } from "./setup.ts";
