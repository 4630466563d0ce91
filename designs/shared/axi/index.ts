/**
 * AXI4 blocks: one master shared by several users, the bursts of a request across pages, an AXI4-Lite bus split in two.
 */
export { AxiShare } from "./axi-share.ts";
export { addressStage, type BurstParameters, bursts, burstWindow, windowBits } from "./bursts.ts";
export { LiteSplit } from "./lite-split.ts";
