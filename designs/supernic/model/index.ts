/** What the hardware must do, in TypeScript: references for benches. */
export * from "./cache/index.ts";
export * from "./deparse/index.ts";
export * from "./device/index.ts";
export * as epochModel from "./epochs/index.ts";
export * from "./fairness/index.ts";
export * from "./judge/index.ts";
export * from "./link/index.ts";
export * from "./match/index.ts";
export * from "./memory/index.ts";
export * from "./tasks/index.ts";
/** The scheduler's model has packets and setups of its own. */
export * as schedulerModel from "./scheduler/index.ts";
export * from "./reconfigure/index.ts";
