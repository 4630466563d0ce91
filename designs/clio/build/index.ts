/** The node of a configuration, for simulation, Verilog and synthesis. */
export { clioNode, type NodeBuild } from "./node.ts";
export { matrix } from "./lint-matrix.ts";
export { furtherBlocks, madeOfBlocks } from "./synth-blocks.ts";
