/** Evaluates expressions on plain numbers: constant folding, reference models and tests share it. */
import type { Memory, Signal } from "./circuit.ts";
import { asSigned, type Expr, maskOf, operandsOf } from "./expr.ts";
import { postOrder } from "./walk.ts";

/**
 * Where values of signals and memory words come from. Values are bit patterns: 0 <= value < 2^width, also
 * for signed signals.
 */
export interface Environment {
  readonly read: (signal: Signal) => bigint;
  /** Needed only when an expression reads a memory asynchronously. */
  readonly memRead?: ((memory: Memory, address: bigint) => bigint) | undefined;
}

/**
 * The bit pattern (0 <= result < 2^e.width) that one operator node gives for the bit patterns of its operands, in the
 * order of `operandsOf`. Leaves (`const`, `read`) and `memRead` are not operators: `evaluate` handles them.
 */
export function applyOperator(e: Expr, v: readonly bigint[]): bigint {
  const mask = maskOf(e.width);
  const arg = (i: number): bigint => v[i] as bigint;
  switch (e.kind) {
    case "const":
      return e.value;
    case "read":
    case "memRead":
      throw new Error(`applyOperator: ${e.kind} is not an operator`);
    case "unary": {
      const a = arg(0),
        all = maskOf(e.a.width);
      switch (e.op) {
        case "not":
          return ~a & mask;
        case "neg":
          return -a & mask;
        case "reduceAnd":
          return a === all ? 1n : 0n;
        case "reduceOr":
          return a !== 0n ? 1n : 0n;
        case "reduceXor":
          return parity(a);
      }
    }
    case "binary": {
      const a = arg(0),
        b = arg(1);
      switch (e.op) {
        case "add":
          return (a + b) & mask;
        case "sub":
          return (a - b) & mask;
        case "mul":
          return (number(e.a, a) * number(e.b, b)) & mask;
        case "and":
          return a & b;
        case "or":
          return a | b;
        case "xor":
          return a ^ b;
        case "eq":
          return a === b ? 1n : 0n;
        case "ne":
          return a !== b ? 1n : 0n;
        case "lt":
          return number(e.a, a) < number(e.b, b) ? 1n : 0n;
        case "le":
          return number(e.a, a) <= number(e.b, b) ? 1n : 0n;
        case "gt":
          return number(e.a, a) > number(e.b, b) ? 1n : 0n;
        case "ge":
          return number(e.a, a) >= number(e.b, b) ? 1n : 0n;
      }
    }
    case "shift": {
      const a = arg(0);
      const by = arg(1) > BigInt(e.width) ? BigInt(e.width) : arg(1);
      return (e.op === "left" ? a << by : number(e.a, a) >> by) & mask;
    }
    case "mux":
      return arg(0) !== 0n ? arg(1) : arg(2);
    case "concat":
      return e.parts.reduce((sum, p, i) => (sum << BigInt(p.width)) | arg(i), 0n);
    case "slice":
      return (arg(0) >> BigInt(e.lo)) & mask;
    case "pick":
      return (arg(0) >> (arg(1) * BigInt(e.width))) & mask;
    case "extend":
      return number(e.a, arg(0)) & mask;
    case "cast":
      return arg(0);
  }
}

/** The bit pattern of `root`; linear in the number of distinct nodes, whatever the depth. */
export function evaluate(root: Expr, env: Environment): bigint {
  const values = new Map<Expr, bigint>();
  postOrder(root, values, e => {
    const args = operandsOf(e).map(o => values.get(o) as bigint);
    if (e.kind === "read") values.set(e, env.read(e.signal) & maskOf(e.width));
    else if (e.kind === "memRead") {
      if (env.memRead === undefined)
        throw new Error(`evaluate: the environment gives no contents for memory "${e.memory.name}"; pass memRead`);
      values.set(e, env.memRead(e.memory, args[0] as bigint) & maskOf(e.width));
    } else values.set(e, applyOperator(e, args));
  });
  return values.get(root) as bigint;
}

function number(e: Expr, pattern: bigint): bigint {
  return e.signed ? asSigned(pattern, e.width) : pattern;
}

function parity(a: bigint): bigint {
  let odd = 0n;
  for (let rest = a; rest !== 0n; rest &= rest - 1n) odd ^= 1n;
  return odd;
}
