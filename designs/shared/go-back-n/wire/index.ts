/** What all agree on, the Go-Back-N header, and frames that have one. */
export * from "./facts.ts";
export * from "./frame.ts";
export * from "./header.ts";
