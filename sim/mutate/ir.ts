/** The language's circuit under short names. */
import { ir } from "../../hdl-dsl/index.ts";

export type Circuit = ir.Circuit;
export type ClockDomain = ir.ClockDomain;
export type Expr = ir.Expr;
export type Signal = ir.Signal;
export type Stmt = ir.Stmt;
export type Assign = Extract<Stmt, { kind: "assign" }>;
export type If = Extract<Stmt, { kind: "if" }>;
export type Binary = Extract<Expr, { kind: "binary" }>;
export type Position = NonNullable<Signal["position"]>;
export const { allStatements, forgetResolution, operandsOf, postOrder } = ir;

export const number = (value: bigint, width: number, signed = false): Expr => ({
  kind: "const",
  width,
  signed,
  value: BigInt.asUintN(width, value),
});
export const read = (signal: Signal): Expr => ({ kind: "read", width: signal.width, signed: signal.signed, signal });
export const not = (a: Expr): Expr => ({ kind: "unary", op: "not", a, width: a.width, signed: a.signed });
/** A module's name without its parameters. */
export const shortName = (c: Circuit): string => c.name.split("_")[0] ?? c.name;

/** Every circuit of the hierarchy, once. */
export function circuitsBelow(top: Circuit, found = new Set<Circuit>()): ReadonlySet<Circuit> {
  if (!found.has(top)) {
    found.add(top);
    for (const i of top.instances) circuitsBelow(i.circuit, found);
  }
  return found;
}
