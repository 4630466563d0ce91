/**
 * Expressions: a discriminated union of a dozen kinds. Nodes know nothing of Verilog, of simulation or of the builders.
 * Every node has an exact width in bits; operands of an arithmetic, logic or comparison node have the same width (the
 * builders see to it).
 */
import type { Enumeration } from "../types/shape.ts";
import type { Memory, Signal } from "./circuit.ts";

interface Node {
  readonly width: number;
  readonly signed: boolean;
}
export interface Const extends Node {
  readonly kind: "const";
  /** 0 <= value < 2^width: the bit pattern, also when signed. */ readonly value: bigint;
  /** Symbolic name (an FSM state), printed instead of the number. */ readonly label?: string | undefined;
  /** The base of the number in the source; undefined: decimal. */ readonly base?: "hex" | "binary" | undefined;
  /** The enumeration that the name is of; undefined for a state. */ readonly enumeration?: Enumeration | undefined;
}
export interface Read extends Node {
  readonly kind: "read";
  readonly signal: Signal;
}
/** Asynchronous (combinational) read of a memory. */
export interface MemRead extends Node {
  readonly kind: "memRead";
  readonly memory: Memory;
  readonly address: Expr;
}
export type UnaryOp = "not" | "neg" | "reduceAnd" | "reduceOr" | "reduceXor";
export interface Unary extends Node {
  readonly kind: "unary";
  readonly op: UnaryOp;
  readonly a: Expr;
}
/**
 * add, sub wrap at the operand width; mul's width is the sum of its operands' widths (the printer widens them).
 * Comparisons are 1 bit wide.
 */
export type BinaryOp = "add" | "sub" | "mul" | "and" | "or" | "xor" | "eq" | "ne" | "lt" | "le" | "gt" | "ge";
export interface Binary extends Node {
  readonly kind: "binary";
  readonly op: BinaryOp;
  readonly a: Expr;
  readonly b: Expr;
}
/**
 * Shift by a variable amount (unsigned, any width); `right` of a signed value is arithmetic. The width is that of `a`.
 */
export interface Shift extends Node {
  readonly kind: "shift";
  readonly op: "left" | "right";
  readonly a: Expr;
  readonly by: Expr;
}
export interface Mux extends Node {
  readonly kind: "mux";
  readonly cond: Expr;
  readonly a: Expr;
  readonly b: Expr;
}
/** `parts[0]` holds the MOST significant bits, as in Verilog. */
export interface Concat extends Node {
  readonly kind: "concat";
  readonly parts: readonly Expr[];
}
export interface Slice extends Node {
  readonly kind: "slice";
  readonly a: Expr;
  readonly lo: number;
}
/** Element number `index` of `a` seen as 2^index.width elements of `width` bits (a.width = width << index.width). */
export interface Pick extends Node {
  readonly kind: "pick";
  readonly a: Expr;
  readonly index: Expr;
}
/** Zero- or sign-extension (by `a.signed`) to `width` > a.width. */
export interface Extend extends Node {
  readonly kind: "extend";
  readonly a: Expr;
}
/** The same bits read with the other signedness. */
export interface Cast extends Node {
  readonly kind: "cast";
  readonly a: Expr;
}

export type Expr = Const | Read | MemRead | Unary | Binary | Shift | Mux | Concat | Slice | Pick | Extend | Cast;

export const maskOf = (width: number): bigint => (1n << BigInt(width)) - 1n;
/** The value of a bit pattern read as two's complement. */
export const asSigned = (value: bigint, width: number): bigint =>
  ((value >> BigInt(width - 1)) & 1n) === 1n ? value - (1n << BigInt(width)) : value;

/** Whether a node has no operands. */
export const isLeaf = (e: Expr): boolean => e.kind === "const" || e.kind === "read";

/** Operand number `n`, counted from 0, of `operandsOf(e)`, without making that list; undefined beyond the last. */
export function operandAt(e: Expr, n: number): Expr | undefined {
  switch (e.kind) {
    case "const":
    case "read":
      return undefined;
    case "memRead":
      return n === 0 ? e.address : undefined;
    case "unary":
    case "slice":
    case "extend":
    case "cast":
      return n === 0 ? e.a : undefined;
    case "binary":
      return n === 0 ? e.a : n === 1 ? e.b : undefined;
    case "shift":
      return n === 0 ? e.a : n === 1 ? e.by : undefined;
    case "mux":
      return n === 0 ? e.cond : n === 1 ? e.a : n === 2 ? e.b : undefined;
    case "concat":
      return e.parts[n];
    case "pick":
      return n === 0 ? e.a : n === 1 ? e.index : undefined;
  }
}

/** The direct operands of a node. */
export function operandsOf(e: Expr): readonly Expr[] {
  switch (e.kind) {
    case "const":
    case "read":
      return [];
    case "memRead":
      return [e.address];
    case "unary":
    case "slice":
    case "extend":
    case "cast":
      return [e.a];
    case "binary":
      return [e.a, e.b];
    case "shift":
      return [e.a, e.by];
    case "mux":
      return [e.cond, e.a, e.b];
    case "concat":
      return e.parts;
    case "pick":
      return [e.a, e.index];
  }
}
