/**
 * Every operator of the language as its users write it, with what it is worth in whole numbers. Nothing here knows the
 * intermediate representation: an error of the builders or of folding shows as a difference.
 */
import {
  cat,
  constant,
  mux,
  onehotMux,
  ram,
  repeat,
  type SInt,
  uint,
  type UInt,
  vec,
  wire,
} from "../../../../hdl-dsl/index.ts";
import { maskOf } from "../../../../hdl-dsl/ir/expr.ts";
import { type Dice, pattern } from "../../support/random.ts";
import { bitsOf, type Hw, s, type Spec, u, wrapped } from "./term.ts";

/** One use of an operator: the operands that it asks for, and how it makes its result of them. */
export interface Use {
  readonly operands: readonly Spec[];
  /** `name` is free for whatever it declares. */
  readonly hw: (operands: readonly Hw[], name: string) => Hw;
  readonly of: (operands: readonly bigint[]) => bigint;
}
export interface Operator {
  readonly name: string;
  /** The names of its operands; a list of any length repeats the last. */
  readonly slots: readonly string[];
  /** A use that gives such a value; undefined where the operator never does. */
  readonly use: (d: Dice, want: Spec) => Use | undefined;
}

type Method = "add" | "sub" | "and" | "or" | "xor" | "eq" | "ne" | "lt" | "le" | "gt" | "ge";
const width = (d: Dice): number => d.pick([1, 2, 3, 4, 5, 8, 34]);
const unsigned = (h: Hw | undefined): UInt => h as UInt;
const signed = (h: Hw | undefined): SInt => h as SInt;
const one = (v: boolean): bigint => (v ? 1n : 0n);
const at = (v: readonly bigint[], n: number): bigint => v[n] ?? 0n;
const signs = (make: (signed: boolean, mark: string) => Operator): Operator[] => [
  make(false, "unsigned"),
  make(true, "signed"),
];

const arithmetic = (method: "add" | "sub", of: (a: bigint, b: bigint) => bigint): Operator[] =>
  signs((isSigned, mark) => ({
    name: `${method} ${mark}`,
    slots: ["a", "b"],
    use: (_, want) =>
      want.signed === isSigned
        ? {
            operands: [want, want],
            hw: ([a, b]) => unsigned(a)[method](unsigned(b)),
            of: v => wrapped(of(at(v, 0), at(v, 1)), want),
          }
        : undefined,
  }));
const bitwise = (method: "and" | "or" | "xor", of: (a: bigint, b: bigint) => bigint): Operator => ({
  name: method,
  slots: ["a", "b"],
  use: (_, want) =>
    want.signed
      ? undefined
      : { operands: [want, want], hw: ([a, b]) => unsigned(a)[method](unsigned(b)), of: v => of(at(v, 0), at(v, 1)) },
});
const comparison = (method: Method, of: (a: bigint, b: bigint) => boolean): Operator[] =>
  signs((isSigned, mark) => ({
    name: `${method} ${mark}`,
    slots: ["a", "b"],
    use: (d, want) => {
      const w = width(d);
      return want.signed || want.width !== 1
        ? undefined
        : {
            operands: [
              { width: w, signed: isSigned },
              { width: w, signed: isSigned },
            ],
            hw: ([a, b]) => unsigned(a)[method](unsigned(b)),
            of: v => one(of(at(v, 0), at(v, 1))),
          };
    },
  }));
const reduction = (method: "any" | "all" | "parity", of: (bits: bigint, w: number) => bigint): Operator[] =>
  signs((isSigned, mark) => ({
    name: `${method} ${mark}`,
    slots: ["a"],
    use: (d, want) => {
      const w = width(d);
      return want.signed || want.width !== 1
        ? undefined
        : {
            operands: [{ width: w, signed: isSigned }],
            hw: ([a]) => unsigned(a)[method](),
            of: v => of(bitsOf(at(v, 0), w), w),
          };
    },
  }));
const shifted = (op: "shl" | "shr", v: bigint, by: bigint, spec: Spec): bigint =>
  wrapped(op === "shl" ? bitsOf(v, spec.width) << by : v >> by, spec);
const shifts = (op: "shl" | "shr"): Operator[] =>
  signs((isSigned, mark) => ({
    name: `${op} ${mark}`,
    slots: ["a", "amount"],
    use: (d, want) =>
      want.signed === isSigned
        ? {
            operands: [want, u(d.pick([1, 2, 3, 4]))],
            hw: ([a, by]) => unsigned(a)[op](unsigned(by)),
            of: v => shifted(op, at(v, 0), at(v, 1), want),
          }
        : undefined,
  }));
const fixedShifts = (op: "shl" | "shr"): Operator[] =>
  signs((isSigned, mark) => ({
    name: `${op} by a number, ${mark}`,
    slots: ["a"],
    use: (d, want) => {
      const by = d.below(want.width + 2);
      return want.signed === isSigned
        ? {
            operands: [want],
            hw: ([a]) => unsigned(a)[op](by),
            of: v => shifted(op, at(v, 0), BigInt(by), want),
          }
        : undefined;
    },
  }));
const parityOf = (bits: bigint): bigint => {
  let n = 0n;
  for (let v = bits; v !== 0n; v &= v - 1n) n ^= 1n;
  return n;
};
const joined = (parts: readonly { readonly bits: bigint; readonly width: number }[]): bigint =>
  parts.reduce((v, p) => (v << BigInt(p.width)) | bitsOf(p.bits, p.width), 0n);

export const operators: readonly Operator[] = [
  {
    name: "memory word",
    slots: ["address"],
    use: (d, want) => {
      if (want.signed) return undefined;
      const bits = d.pick([1, 2, 3]),
        words = Array.from({ length: 1 << bits }, () => pattern(d, want.width));
      return {
        operands: [u(bits)],
        hw: ([a], name) =>
          ram(uint<number>(want.width), { depth: words.length, collision: "old", init: words, name }).readAsync(
            unsigned(a),
          ),
        of: v => words[Number(at(v, 0))] ?? 0n,
      };
    },
  },
  {
    name: "not",
    slots: ["a"],
    use: (_, want) =>
      want.signed
        ? undefined
        : { operands: [want], hw: ([a]) => unsigned(a).not(), of: v => bitsOf(~at(v, 0), want.width) },
  },
  {
    name: "neg",
    slots: ["a"],
    use: (_, want) =>
      want.signed ? { operands: [want], hw: ([a]) => signed(a).neg(), of: v => wrapped(-at(v, 0), want) } : undefined,
  },
  ...reduction("any", bits => one(bits !== 0n)),
  ...reduction("all", (bits, w) => one(bits === maskOf(w))),
  ...reduction("parity", parityOf),
  ...arithmetic("add", (a, b) => a + b),
  ...arithmetic("sub", (a, b) => a - b),
  ...signs((isSigned, mark) => ({
    name: `addGrow ${mark}`,
    slots: ["a", "b"],
    use: (_, want) => {
      const from = { width: want.width - 1, signed: isSigned };
      return want.signed === isSigned && want.width > 1
        ? {
            operands: [from, from],
            hw: ([a, b]) => unsigned(a).addGrow(unsigned(b)),
            of: v => wrapped(at(v, 0) + at(v, 1), want),
          }
        : undefined;
    },
  })),
  ...signs((isSigned, mark) => ({
    name: `mul ${mark}`,
    slots: ["a", "b"],
    use: (d, want) => {
      if (want.signed !== isSigned || want.width < 2) return undefined;
      const first = 1 + d.below(want.width - 1);
      return {
        operands: [
          { width: first, signed: isSigned },
          { width: want.width - first, signed: isSigned },
        ],
        hw: ([a, b]) => unsigned(a).mul(unsigned(b)),
        of: v => wrapped(at(v, 0) * at(v, 1), want),
      };
    },
  })),
  bitwise("and", (a, b) => a & b),
  bitwise("or", (a, b) => a | b),
  bitwise("xor", (a, b) => a ^ b),
  ...comparison("eq", (a, b) => a === b),
  ...comparison("ne", (a, b) => a !== b),
  ...comparison("lt", (a, b) => a < b),
  ...comparison("le", (a, b) => a <= b),
  ...comparison("gt", (a, b) => a > b),
  ...comparison("ge", (a, b) => a >= b),
  ...shifts("shl"),
  ...shifts("shr"),
  ...fixedShifts("shl"),
  ...fixedShifts("shr"),
  ...signs((isSigned, mark) => ({
    name: `mux ${mark}`,
    slots: ["cond", "a", "b"],
    use: (_, want) =>
      want.signed === isSigned
        ? {
            operands: [u(1), want, want],
            hw: ([c, a, b]) => mux(unsigned(c).is(1), unsigned(a), unsigned(b)),
            of: v => (at(v, 0) !== 0n ? at(v, 1) : at(v, 2)),
          }
        : undefined,
  })),
  {
    name: "onehotMux",
    slots: ["select", "select", "option"],
    use: (_, want) =>
      want.signed
        ? undefined
        : {
            operands: [u(1), u(1), want, want],
            hw: ([x, y, a, b]) => onehotMux([unsigned(x).is(1), unsigned(y).is(1)], [unsigned(a), unsigned(b)]),
            of: v => (at(v, 0) !== 0n ? at(v, 2) : 0n) | (at(v, 1) !== 0n ? at(v, 3) : 0n),
          },
  },
  {
    name: "cat",
    slots: ["high", "low"],
    use: (d, want) => {
      if (want.signed || want.width < 2) return undefined;
      const high = 1 + d.below(want.width - 1),
        low = want.width - high;
      return {
        operands: [
          { width: high, signed: d.chance(0.4) },
          { width: low, signed: d.chance(0.4) },
        ],
        hw: ([a, b]) => cat(unsigned(a), unsigned(b)),
        of: v =>
          joined([
            { bits: at(v, 0), width: high },
            { bits: at(v, 1), width: low },
          ]),
      };
    },
  },
  {
    name: "repeat",
    slots: ["a"],
    use: (d, want) => {
      const counts = [2, 3, 4, 5, 8].filter(n => want.width % n === 0);
      if (want.signed || counts.length === 0) return undefined;
      const n = d.pick(counts),
        w = want.width / n;
      return {
        operands: [u(w)],
        hw: ([a]) => repeat(unsigned(a), n),
        of: v => joined(Array.from({ length: n }, () => ({ bits: at(v, 0), width: w }))),
      };
    },
  },
  {
    // Pieces of one value side by side: they look like copies, and like neighbours.
    name: "halves swapped",
    slots: ["a"],
    use: (_, want) => {
      const half = want.width / 2;
      return want.signed || want.width % 2 !== 0
        ? undefined
        : {
            operands: [want],
            hw: ([a]) => cat(unsigned(a).bits(0, half), unsigned(a).bits(half, half)),
            of: v => bitsOf((at(v, 0) << BigInt(half)) | (at(v, 0) >> BigInt(half)), want.width),
          };
    },
  },
  ...signs((isSigned, mark) => ({
    name: `bits of ${mark}`,
    slots: ["base"],
    use: (d, want) => {
      const lo = d.below(4),
        from = { width: want.width + lo + d.pick([0, 1, 3]) + one1(lo), signed: isSigned };
      return want.signed
        ? undefined
        : {
            operands: [from],
            hw: ([a]) => unsigned(a).bits(lo, want.width),
            of: v => bitsOf(at(v, 0) >> BigInt(lo), want.width),
          };
    },
  })),
  {
    name: "element",
    slots: ["index", "element"],
    use: (d, want) => {
      if (want.signed) return undefined;
      const length = d.pick([2, 3, 4]),
        bits = length > 2 ? 2 : 1;
      return {
        operands: [u(bits), ...Array.from({ length }, () => want)],
        hw: ([i, ...all], name) => {
          const held = wire(vec(uint<number>(want.width), length), { name });
          held.set(all.map(unsigned));
          return held.at(unsigned(i));
        },
        of: v => v[1 + Number(at(v, 0))] ?? 0n,
      };
    },
  },
  {
    name: "zext",
    slots: ["a"],
    use: (d, want) =>
      want.signed || want.width < 2
        ? undefined
        : {
            operands: [u(narrower(d, want.width))],
            hw: ([a]) => unsigned(a).zext(want.width),
            of: v => at(v, 0),
          },
  },
  {
    name: "sext",
    slots: ["a"],
    use: (d, want) =>
      want.signed && want.width > 1
        ? {
            operands: [s(narrower(d, want.width))],
            hw: ([a]) => signed(a).sext(want.width),
            of: v => at(v, 0),
          }
        : undefined,
  },
  {
    name: "mod",
    slots: ["a"],
    use: (d, want) => {
      const n = d.below(want.width + 1);
      return want.signed
        ? undefined
        : {
            operands: [want],
            hw: ([a]) => unsigned(a).mod(2 ** n),
            of: v => bitsOf(at(v, 0), n),
          };
    },
  },
  {
    name: "asUint",
    slots: ["a"],
    use: (_, want) =>
      want.signed
        ? undefined
        : { operands: [s(want.width)], hw: ([a]) => signed(a).asUint(), of: v => bitsOf(at(v, 0), want.width) },
  },
  {
    name: "asSint",
    slots: ["a"],
    use: (_, want) =>
      want.signed
        ? { operands: [u(want.width)], hw: ([a]) => unsigned(a).asSint(), of: v => wrapped(at(v, 0), want) }
        : undefined,
  },
];

/** A width below the given one, often a small one. */
const narrower = (d: Dice, most: number): number =>
  Math.min(most - 1, d.chance(0.5) ? 1 + d.below(2) : 1 + d.below(most - 1));

/** A slice from bit 0 is narrower than what it is taken from. */
function one1(lo: number): number {
  return lo === 0 ? 1 : 0;
}

/** A number as a value of the language. */
export const literal = (value: bigint, spec: Spec): Hw => {
  const bits = constant(bitsOf(value, spec.width), spec.width);
  return spec.signed ? bits.asSint() : bits;
};
