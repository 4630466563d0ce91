/** The finished circuit, for a simulator: `ir` of the public face. */
export type { Circuit, ClockDomain, Instance, Memory, Property, ReadPort, Signal, Stmt, WritePort } from "./circuit.ts";
export { followed } from "./clock-source.ts";
export { shortPosition } from "./diagnostic.ts";
export { type Expr, type MemRead, operandsOf } from "./expr.ts";
export * as make from "./fold.ts";
export { forgetResolution, resolve, type ResolvedWrite, type Segment, segmentsIn } from "./resolve.ts";
export { allStatements, postOrder } from "./walk.ts";
