/** The manual's examples: small modules, each complete. */
export { Counter } from "./counter.ts";
export { Mac } from "./mac.ts";
export { PacketArbiter } from "./packet-arbiter.ts";
export { RegisterSlice } from "./register-slice.ts";
