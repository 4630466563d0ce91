/** SuperNIC's software. */
export * from "./setup/index.ts";
