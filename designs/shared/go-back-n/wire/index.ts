export * from "./frame.ts";
export * from "./header.ts";
