/** A replicated commit on the wire and in the log. */
export * from "./codec.ts";
export * from "./codes.ts";
export * from "./log.ts";
export * from "./messages.ts";
export * from "./submit.ts";
