/** The node as a configuration asks for it: what simulations, Verilog and synthesis are made from. */
export { clioNode, type NodeBuild } from "./node.ts";
export { matrix } from "./lint-matrix.ts";
export { furtherBlocks, madeOfBlocks } from "./synth-blocks.ts";
