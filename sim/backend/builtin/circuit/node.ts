/** The nodes of a flat circuit: bit patterns with a width; signedness is part of the operator. */

export type Op =
  | "const"
  /** An input or a register: a value that is there before the settling begins. */
  | "source"
  /** Word of a memory; operand: address. */
  | "memRead"
  | "not"
  | "neg"
  | "redAnd"
  | "redOr"
  | "redXor"
  | "and"
  | "or"
  | "xor"
  | "add"
  | "sub"
  | "mul"
  | "eq"
  /** Less, unsigned and signed. */
  | "ult"
  | "slt"
  /** Shifts by a variable amount. */
  | "shl"
  | "shr"
  | "sar"
  | "mux"
  /** Operands from the lowest bits up. */
  | "concat"
  | "slice"
  | "sext"
  /** Operands: index, then one element for each of its values. */
  | "select"
  /** Element of a wide value; operands: value, index. */
  | "pick";

/** Something that holds a value between settlings. */
export interface Source {
  readonly kind: "input" | "register";
  /** Dotted path, with `[lo]` for a part of a register. */
  readonly name: string;
  readonly width: number;
  /** Number among the sources. */
  readonly id: number;
}

/** A memory of the flat circuit. */
export interface Store {
  readonly name: string;
  readonly width: number;
  readonly depth: number;
  readonly init: readonly bigint[] | undefined;
  readonly id: number;
}

export interface Node {
  /** In the order of creation: operands have lower ones. */
  readonly id: number;
  readonly op: Op;
  readonly width: number;
  readonly args: readonly Node[];
  /** const: the bit pattern. */
  readonly value: bigint;
  /** slice: lowest bit. */
  readonly lo: number;
  readonly source: Source | undefined;
  readonly store: Store | undefined;
  /** The instance in which it was met first. */
  readonly scope: number;
}

/** All ones, by width: asked for often. */
const masks: bigint[] = [];
export const maskOf = (width: number): bigint => (masks[width] ??= (1n << BigInt(width)) - 1n);
export const signedOf = (value: bigint, width: number): bigint => BigInt.asIntN(width, value);

/** Operand number `n`, which must be there. */
export function arg(node: Node, n: number): Node {
  const a = node.args[n];
  if (a === undefined) throw new Error(`node ${node.id} (${node.op}) has no operand ${n}`);
  return a;
}

export const isZero = (n: Node): boolean => n.op === "const" && n.value === 0n;
export const isOnes = (n: Node): boolean => n.op === "const" && n.value === maskOf(n.width);

/** The bit pattern of an operator node for those of its operands; the reference for rules and generated code. */
export function apply(op: Op, width: number, lo: number, args: readonly Node[], v: readonly bigint[]): bigint {
  const a = v[0] ?? 0n,
    b = v[1] ?? 0n,
    mask = maskOf(width);
  const wa = args[0]?.width ?? 1;
  switch (op) {
    case "not":
      return ~a & mask;
    case "neg":
      return -a & mask;
    case "redAnd":
      return a === maskOf(wa) ? 1n : 0n;
    case "redOr":
      return a !== 0n ? 1n : 0n;
    case "redXor": {
      let odd = 0n;
      for (let rest = a; rest !== 0n; rest &= rest - 1n) odd ^= 1n;
      return odd;
    }
    case "and":
      return a & b;
    case "or":
      return a | b;
    case "xor":
      return a ^ b;
    case "add":
      return (a + b) & mask;
    case "sub":
      return (a - b) & mask;
    case "mul":
      return (a * b) & mask;
    case "eq":
      return a === b ? 1n : 0n;
    case "ult":
      return a < b ? 1n : 0n;
    case "slt":
      return signedOf(a, wa) < signedOf(b, wa) ? 1n : 0n;
    case "shl":
      return b >= BigInt(width) ? 0n : (a << b) & mask;
    case "shr":
      return b >= BigInt(width) ? 0n : a >> b;
    case "sar":
      return (signedOf(a, width) >> (b > BigInt(width) ? BigInt(width) : b)) & mask;
    case "mux":
      return a !== 0n ? b : (v[2] ?? 0n);
    case "concat": {
      let at = 0n,
        sum = 0n;
      v.forEach((x, i) => {
        sum |= x << at;
        at += BigInt(args[i]?.width ?? 0);
      });
      return sum;
    }
    case "slice":
      return (a >> BigInt(lo)) & mask;
    case "sext":
      return signedOf(a, wa) & mask;
    case "select":
      return v[1 + Number(a)] ?? 0n;
    case "pick":
      return (a >> (b * BigInt(width))) & mask;
    case "const":
    case "source":
    case "memRead":
      throw new Error(`apply: ${op} is no operator`);
  }
}
