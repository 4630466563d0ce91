/** SuperNIC's software. */
export * from "./control/index.ts";
export * from "./device/index.ts";
export * from "./memory/index.ts";
export * from "./peers/index.ts";
export * from "./regions/index.ts";
export * from "./setup/index.ts";
export * from "./state/index.ts";
