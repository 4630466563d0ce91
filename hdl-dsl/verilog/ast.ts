/** Verilog-2005 as data: the subset that the emitter writes. This form is independent of the language's own nodes. */
import type { Position } from "../ir/circuit.ts";

/**
 * `width` and `signed` are Verilog's own self-determined ones. `cost` counts leaves: how much a reader has to take in.
 */
interface Node {
  readonly width: number;
  readonly signed: boolean;
  readonly cost: number;
}
export interface VNumber extends Node {
  readonly kind: "number";
  /** Bit pattern. */ readonly value: bigint;
  /** Printed as a bare decimal: shift amounts. */ readonly plain?: boolean;
  /** Printed in it; undefined: decimal, or hexadecimal where that is long. */ readonly base?:
    "hex" | "binary" | undefined;
}
/** A signal or a localparam. */
export interface VName extends Node {
  readonly kind: "name";
  readonly name: string;
  /** Localparams cannot be sliced. */ readonly parameter: boolean;
}
/** Constant part select `name[lo + width - 1 : lo]`. */
export interface VRange extends Node {
  readonly kind: "range";
  readonly name: string;
  readonly lo: number;
}
/** Bit select by a variable, or memory word. */
export interface VIndex extends Node {
  readonly kind: "index";
  readonly name: string;
  readonly index: VExpr;
  readonly memory: boolean;
}
/** Part of a memory word, as the target of a write: `name[index][lo + width - 1 : lo]`. */
export interface VLane extends Node {
  readonly kind: "lane";
  readonly name: string;
  readonly index: VExpr;
  readonly lo: number;
}
/** `name[base +: width]` */
export interface VPart extends Node {
  readonly kind: "part";
  readonly name: string;
  readonly base: VExpr;
}
export type VUnaryOp = "~" | "-" | "&" | "|" | "^";
export interface VUnary extends Node {
  readonly kind: "unary";
  readonly op: VUnaryOp;
  readonly a: VExpr;
}
export type VBinaryOp = "+" | "-" | "*" | "&" | "|" | "^" | "==" | "!=" | "<" | "<=" | ">" | ">=" | "<<" | ">>" | ">>>";
export interface VBinary extends Node {
  readonly kind: "binary";
  readonly op: VBinaryOp;
  readonly a: VExpr;
  readonly b: VExpr;
}
export interface VTernary extends Node {
  readonly kind: "ternary";
  readonly cond: VExpr;
  readonly a: VExpr;
  readonly b: VExpr;
}
export interface VConcat extends Node {
  readonly kind: "concat";
  readonly parts: readonly VExpr[];
}
/** `{count{a}}` */
export interface VRepeat extends Node {
  readonly kind: "repeat";
  readonly count: number;
  readonly a: VExpr;
}
/** `$signed(a)` or `$unsigned(a)`: its argument is self-determined. */
export interface VSystem extends Node {
  readonly kind: "system";
  readonly a: VExpr;
}
export type VExpr =
  VNumber | VName | VRange | VIndex | VLane | VPart | VUnary | VBinary | VTernary | VConcat | VRepeat | VSystem;

export interface VNonblocking {
  readonly kind: "nonblocking";
  readonly target: VExpr;
  readonly value: VExpr;
  readonly position: Position | undefined;
  /** A register's value under reset: a list of those shares lines. */
  readonly isReset?: boolean;
}
/** Only in `initial` blocks. */
export interface VBlocking {
  readonly kind: "blocking";
  readonly target: VExpr;
  readonly value: VExpr;
}
export interface VIf {
  readonly kind: "if";
  readonly cond: VExpr;
  readonly then: readonly VStmt[];
  readonly otherwise: readonly VStmt[];
  readonly position?: Position | undefined;
}
/** `for (variable = from; variable < to; variable = variable + 1)` */
export interface VFor {
  readonly kind: "for";
  readonly variable: string;
  readonly from: number;
  readonly to: number;
  readonly body: readonly VStmt[];
}
export interface VCase {
  readonly kind: "case";
  readonly on: VExpr;
  readonly items: readonly { readonly labels: readonly VExpr[]; readonly body: readonly VStmt[] }[];
  readonly otherwise: readonly VStmt[];
  readonly position?: Position | undefined;
}
/** `assert (cond);` and its kin, read by formal tools only. */
export interface VProperty {
  readonly kind: "property";
  readonly what: "assert" | "assume" | "cover";
  readonly cond: VExpr;
  readonly message: string;
  readonly position: Position | undefined;
}
/** `begin $display("..."); $stop; end` */
export interface VFail {
  readonly kind: "fail";
  readonly message: string;
  readonly position: Position | undefined;
}
export type VStmt = VNonblocking | VBlocking | VIf | VFor | VCase | VProperty | VFail;

export interface VPort {
  readonly dir: "input" | "output";
  readonly name: string;
  readonly width: number;
  readonly signed: boolean;
  readonly position: Position | undefined;
  readonly attributes?: readonly (readonly [string, string | number])[] | undefined;
  /** What it belongs to, told once before neighbours of one group: `push: stream in`. */
  readonly group?: string | undefined;
}
export interface VDeclare {
  readonly kind: "declare";
  readonly what: "wire" | "reg";
  readonly name: string;
  readonly width: number;
  readonly signed: boolean;
  readonly depth: number | undefined;
  /** wire: `wire x = value;` */
  readonly value: VExpr | undefined;
  readonly attributes: readonly (readonly [string, string | number])[];
  readonly position: Position | undefined;
}
export interface VLocalparam {
  readonly kind: "localparam";
  readonly name: string;
  readonly width: number;
  readonly value: bigint;
  /** Printed bit by bit, since the code is chosen by its bits; or in hex, as the source has it. Else decimal. */
  readonly base?: "binary" | "hex" | undefined;
  /** The enumeration that it is a value of. */
  readonly group?: string | undefined;
}
export interface VAssign {
  readonly kind: "assign";
  readonly target: VExpr;
  readonly value: VExpr;
  readonly position: Position | undefined;
}
/** `always @(posedge clock or posedge reset)`; reset undefined: the clock alone. `low`: negedge of the reset. */
export interface VAlways {
  readonly kind: "always";
  readonly clock: string;
  readonly reset: string | undefined;
  readonly low?: boolean;
  readonly body: readonly VStmt[];
}
export interface VInitial {
  readonly kind: "initial";
  readonly body: readonly VStmt[];
}
export interface VConnection {
  readonly port: string;
  readonly dir: "input" | "output";
  readonly value: VExpr;
  /** The stream that the port belongs to. */
  readonly group?: string | undefined;
}
export interface VInstance {
  readonly kind: "instance";
  readonly module: string;
  readonly name: string;
  readonly parameters: readonly (readonly [string, number | string])[];
  readonly connections: readonly VConnection[];
  readonly position: Position | undefined;
}
/** Items for formal tools, and items for simulators; synthesis sees neither. */
export interface VGuarded {
  readonly kind: "guarded";
  readonly formal: readonly VItem[];
  readonly simulation: readonly VItem[];
}
/** `integer name;`: the variable of loops. */
export interface VInteger {
  readonly kind: "integer";
  readonly name: string;
}
export interface VBlank {
  readonly kind: "blank";
}
export type VItem = VDeclare | VLocalparam | VAssign | VAlways | VInitial | VInstance | VGuarded | VInteger | VBlank;

export interface VModule {
  readonly header: readonly string[];
  readonly name: string;
  readonly parameters: readonly (readonly [string, number | string])[];
  readonly ports: readonly VPort[];
  readonly items: readonly VItem[];
}
