/** The place at which a fault is planted into circuits on their way into this simulator (sim/mutate). */
import type { Model } from "../backend.ts";
import type { Circuit } from "./circuit/ir.ts";
import type { Netlist } from "./circuit/netlist.ts";

export interface Plant {
  /** Makes a circuit flat, with the fault in it. */
  flatten(circuit: Circuit, flatten: () => Netlist): Netlist;
  /** Called with every model that is made. */
  watch(model: Model): void;
}

let current: Plant | undefined;

/** What is planted now; undefined in every ordinary run. */
export const planted = (): Plant | undefined => current;

/** From now on every circuit is compiled with this fault; undefined: with none. */
export function plant(fault: Plant | undefined): void {
  current = fault;
}
