/** The language's circuit under short names. */
import { ir } from "../../../../hdl-dsl/index.ts";

export type Circuit = ir.Circuit;
export type ClockDomain = ir.ClockDomain;
export type Expr = ir.Expr;
export type Instance = ir.Instance;
export type MemRead = ir.MemRead;
export type Memory = ir.Memory;
export type Position = NonNullable<ir.Stmt["position"]>;
export type Property = ir.Property;
export type ReadPort = ir.ReadPort;
export type ResolvedWrite = ir.ResolvedWrite;
export type Segment = ir.Segment;
export type Signal = ir.Signal;
export type Stmt = ir.Stmt;
export const { allStatements, followed, resolve, segmentsIn, shortPosition } = ir;
