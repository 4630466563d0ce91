/** The Go-Back-N header and frames that have one. */
export * from "./frame.ts";
export * from "./header.ts";
