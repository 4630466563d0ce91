/** The software of regions and of state: what a fault is planted in. */
export { RegionManager } from "../../../../../../designs/supernic/software/regions/index.ts";
export { decodeState, encodeState, StateMover } from "../../../../../../designs/supernic/software/state/index.ts";
