/**
 * Seeded random expressions and modules straight in the intermediate representation: every node kind, any
 * width, shared subexpressions.
 */
import type { Assign, Circuit, ClockDomain, Signal, Stmt } from "../../../hdl-dsl/ir/circuit.ts";
import { type BinaryOp, type Expr, maskOf, type UnaryOp } from "../../../hdl-dsl/ir/expr.ts";

/** What a generator draws from: `Random`, or the choices of a shrinking one. */
export interface Dice {
  /** 0 .. n-1 */
  below(n: number): number;
  pick<T>(list: readonly T[]): T;
  chance(p: number): boolean;
}

/** A bit pattern of this width; 0, all ones and the highest bit alone are frequent. */
export function pattern(d: Dice, width: number): bigint {
  const kind = d.below(6);
  if (kind === 0) return 0n;
  if (kind === 1) return maskOf(width);
  if (kind === 2) return 1n << BigInt(width - 1);
  let v = 0n;
  for (let i = 0; i < width; i += 16) v = (v << 16n) | BigInt(d.below(1 << 16));
  return v & maskOf(width);
}

export const defaultDomain: ClockDomain = { name: "default", clock: "clk", reset: "rst", kind: "sync" };
export const readOf = (s: Signal): Expr => ({ kind: "read", signal: s, width: s.width, signed: s.signed });
export const assign = (target: Signal, value: Expr, lo = 0): Assign => ({
  kind: "assign",
  target,
  lo,
  width: value.width,
  value,
  position: undefined,
});
export function signal(
  kind: Signal["kind"],
  name: string,
  width: number,
  signed = false,
  more: Partial<Signal> = {},
): Signal {
  return {
    kind,
    name,
    width,
    signed,
    position: undefined,
    path: [name],
    ...(kind === "reg" ? { domain: defaultDomain } : {}),
    ...more,
  };
}
export function circuit(
  name: string,
  signals: readonly Signal[],
  body: readonly Stmt[],
  more: Partial<Circuit> = {},
): Circuit {
  return {
    name,
    parameters: [],
    ports: {},
    domains: signals.some(s => s.kind === "reg") ? [defaultDomain] : [],
    made: [],
    signals,
    memories: [],
    instances: [],
    streams: [],
    body,
    position: undefined,
    ...more,
  };
}

const UNARY: readonly UnaryOp[] = ["not", "neg", "reduceAnd", "reduceOr", "reduceXor"];
const SAME: readonly BinaryOp[] = ["add", "sub", "sub", "and", "or", "xor"];
const COMPARE: readonly BinaryOp[] = ["eq", "ne", "lt", "le", "gt", "ge"];

/** A growing pool of expressions over given leaves; earlier ones are reused, so that trees share. */
export class Expressions {
  readonly #random: Dice;
  readonly #leaves: readonly Expr[];
  readonly #made: Expr[] = [];
  constructor(random: Dice, leaves: readonly Expr[]) {
    this.#random = random;
    this.#leaves = leaves;
  }

  /** An expression of exactly this width and signedness, at most `depth` levels deep. */
  make(width: number, signed: boolean, depth: number): Expr {
    const e = this.#make(width, signed, depth);
    this.#made.push(e);
    return e;
  }

  /** Any expression. */
  any(depth: number): Expr {
    return this.make(
      this.#random.pick([1, 1, 2, 3, 4, 7, 8, 8, 9, 16, 31, 32, 33, 64, 70]),
      this.#random.chance(0.4),
      depth,
    );
  }

  #make(width: number, signed: boolean, depth: number): Expr {
    const r = this.#random;
    if (r.chance(0.15)) {
      const old = this.#made.filter(e => e.width === width && e.signed === signed);
      if (old.length > 0) return r.pick(old);
    }
    if (depth <= 0) return this.#leaf(width, signed);
    const same = (): Expr => this.make(width, signed, depth - 1);
    const small = (): Expr => this.make(1 + r.below(5), false, depth - 1);
    const options: (() => Expr)[] = [
      () => ({ kind: "unary", op: r.pick(UNARY.slice(0, 2)), a: same(), width, signed }),
      () => ({ kind: "binary", op: r.pick(SAME), a: same(), b: same(), width, signed }),
      () => ({ kind: "binary", op: r.pick(SAME), a: same(), b: same(), width, signed }),
      () => ({ kind: "shift", op: r.pick(["left", "right"] as const), a: same(), by: small(), width, signed }),
      () => ({ kind: "mux", cond: this.make(1, false, depth - 1), a: same(), b: same(), width, signed }),
      () => ({ kind: "cast", a: this.make(width, !signed, depth - 1), width, signed }),
      () => this.#leaf(width, signed),
    ];
    if (width > 1) {
      const first = 1 + r.below(width - 1);
      options.push(() => ({ kind: "extend", a: this.make(first, signed, depth - 1), width, signed }));
      if (first < width)
        options.push(() => ({
          kind: "binary",
          op: "mul",
          a: this.make(first, signed, depth - 1),
          b: this.make(width - first, signed, depth - 1),
          width,
          signed,
        }));
    }
    if (!signed) {
      const top = 1 + r.below(Math.max(1, width - 1));
      options.push(() => ({
        kind: "slice",
        a: this.make(width + 1 + r.below(8), r.chance(0.3), depth - 1),
        lo: r.below(2),
        width,
        signed,
      }));
      if (top < width)
        options.push(() => ({
          kind: "concat",
          parts: [this.#partOf(top, depth), this.#partOf(width - top, depth)],
          width,
          signed,
        }));
      if (width <= 16)
        options.push(() => {
          const n = 1 + r.below(3);
          return {
            kind: "pick",
            a: this.make(width << n, false, depth - 1),
            index: this.make(n, false, depth - 1),
            width,
            signed,
          };
        });
      if (width === 1) {
        const w = r.pick([1, 2, 3, 8, 16, 33]),
          s = r.chance(0.4);
        const one = (): Expr => this.make(w, s, depth - 1);
        options.push(
          () => ({ kind: "binary", op: r.pick(COMPARE), a: one(), b: one(), width: 1, signed: false }),
          () => ({ kind: "binary", op: r.pick(COMPARE), a: one(), b: one(), width: 1, signed: false }),
          () => ({ kind: "unary", op: r.pick(UNARY.slice(2)), a: one(), width: 1, signed: false }),
        );
      }
    }
    return r.pick(options)();
  }

  #partOf(width: number, depth: number): Expr {
    return this.make(width, this.#random.chance(0.3), depth - 1);
  }

  #leaf(width: number, signed: boolean): Expr {
    const r = this.#random;
    const fits = this.#leaves.filter(e => e.width === width && e.signed === signed);
    if (fits.length > 0 && r.chance(0.8)) return r.pick(fits);
    const wider = this.#leaves.filter(e => e.width > width);
    if (wider.length > 0 && r.chance(0.7)) {
      const a = r.pick(wider);
      const slice: Expr = { kind: "slice", a, lo: r.below(a.width - width + 1), width, signed: false };
      return signed ? { kind: "cast", a: slice, width, signed } : slice;
    }
    return { kind: "const", value: pattern(r, width), width, signed };
  }
}
