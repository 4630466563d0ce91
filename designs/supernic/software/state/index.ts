/** State of chains that moves with them: as bytes, and in and out of a region. */
export { type ChainWord, decodeState, encodeState, keepsState, losesState, StateFault } from "./image.ts";
export { type MoverOptions, type StateDriver, StateMover } from "./mover.ts";
