/** What all blocks of the device share: sizes, and the records that they hand on. */
export * from "./first.ts";
export * from "./handed.ts";
export * from "./parameters.ts";
export * from "./promises.ts";
export * from "./records.ts";
export * from "./shim.ts";
export * from "./two-turns.ts";
