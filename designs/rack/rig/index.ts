/** A rack in simulation: sNICs, memory nodes, endpoints and lines in one time, and the verb that runs it. */
export * from "./fabric/index.ts";
export * from "./program/index.ts";
export { runVerb } from "./run/verb.ts";
export { serveVerb } from "./serve/verb.ts";
