/** The engine where programs may run: at the memory node, in a SmartNIC on the way, and at the compute side. */
export { blocksBeside, buildOf, nodeParameters } from "./build.ts";
export { NodeWic, wicOffload } from "./node/node-wic.ts";
export type { NodeWicParameters } from "./node/parameters.ts";
export type { SnicWicParameters } from "./snic/records.ts";
export { snicPorts, SnicWic, wicTask } from "./snic/snic-wic.ts";
