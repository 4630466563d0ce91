/** The engine where programs may run: at the memory node, and at the compute side. */
export { buildOf, nodeParameters } from "./build.ts";
export { NodeWic, wicOffload } from "./node/node-wic.ts";
export type { NodeWicParameters } from "./node/parameters.ts";
