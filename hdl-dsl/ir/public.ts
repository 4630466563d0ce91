/** The finished circuit, for a simulator: `ir` of the public face. */
export type { Circuit, ClockDomain, Instance, Memory, Property, ReadPort, Signal, Stmt, WritePort } from "./circuit.ts";
export { followed } from "./clock-source.ts";
export { shortPosition } from "./diagnostic.ts";
export type { Expr, MemRead } from "./expr.ts";
export * as make from "./fold.ts";
export { resolve, type ResolvedWrite, type Segment, segmentsIn } from "./resolve.ts";
export { allStatements } from "./walk.ts";
