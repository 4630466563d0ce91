export { AxiShare } from "./axi-share.ts";
export { addressStage, type BurstParameters, bursts, burstWindow, windowBits } from "./bursts.ts";
export { LiteSplit } from "./lite-split.ts";
