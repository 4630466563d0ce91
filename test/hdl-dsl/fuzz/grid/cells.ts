/**
 * Every operator in every place: a place is one of the language's, or an operand of another operator. What is legal is
 * found by asking both; a pair that none of their widths and signs allows is no cell.
 */
import { Random } from "../../../../hdl-dsl/random.ts";
import type { SInt, UInt } from "../../../../hdl-dsl/index.ts";
import { type Dice, pattern } from "../../support/random.ts";
import { literal, type Operator, operators, type Use } from "./operators.ts";
import { type Position, positions } from "./positions.ts";
import { s, sameSpec, type Spec, type Term, u, wrapped } from "./term.ts";

export interface Cell {
  readonly operator: string;
  readonly position: string;
  /** Makes the value in its place: `leaf` gives other values, `at` says where what has no place of its own stands. */
  readonly make: (
    d: Dice,
    leaf: (spec: Spec) => Term,
    name: string,
  ) => { readonly position: Position; readonly x: Term };
}

const RESULTS: readonly Spec[] = [1, 2, 3, 4, 5, 6, 8, 12, 36].flatMap(w => [u(w), s(w)]);
/** Draws of an operator's own widths for one result. */
const TRIES = 200;

const term = (use: Use, spec: Spec, operands: readonly Term[], name: string): Term => {
  let made = 0;
  return {
    ...spec,
    hw: io =>
      use.hw(
        operands.map(o => o.hw(io)),
        `${name}_${made++}`,
      ),
    of: inputs => use.of(operands.map(o => o.of(inputs))),
  };
};

export const numberTerm = (bits: bigint, spec: Spec): Term => {
  const number = wrapped(bits, spec);
  return { ...spec, hw: () => literal(bits, spec), of: () => number, number };
};

/** The same bits with the other sign. */
const cast = (x: Term): Term => {
  const spec = { width: x.width, signed: !x.signed };
  return {
    ...spec,
    hw: io => {
      const v = x.hw(io);
      return spec.signed ? (v as UInt).asSint() : (v as SInt).asUint();
    },
    of: inputs => wrapped(x.of(inputs), spec),
    ...(x.twin === undefined ? {} : { twin: cast(x.twin) }),
  };
};

/** The operands with one detail changed, where they allow it: two of a kind swapped, or another number. */
function changed(operands: readonly Term[]): readonly Term[] {
  const [a, b] = operands,
    at = operands.findIndex(o => o.number !== undefined);
  if (at >= 0) return operands.map((o, n) => (n === at ? numberTerm((o.number ?? 0n) ^ 1n, o) : o));
  return a !== undefined && b !== undefined && sameSpec(a, b) ? [b, a, ...operands.slice(2)] : operands;
}

/** A value of an operator; `inside` stands as the operand of that number, where there is one. */
function valueOf(
  operator: Operator,
  d: Dice,
  spec: Spec,
  leaf: (spec: Spec) => Term,
  name: string,
  accept: (use: Use) => boolean = () => true,
  inside?: readonly [number, (spec: Spec) => Term],
): Term | undefined {
  for (let n = 0; n < TRIES; n++) {
    const use = operator.use(d, spec);
    if (use === undefined) return undefined;
    if (!accept(use)) continue;
    const operands = use.operands.map((o, i) => (inside?.[0] === i ? inside[1](o) : leaf(o)));
    const other = d.chance(0.4) ? sibling(d, spec, use) : otherUse(operator, d, spec, use);
    const twin = term(other ?? use, spec, other === undefined ? changed(operands) : operands, `${name}t`);
    return { ...term(use, spec, operands, name), twin };
  }
  return undefined;
}

/** Another operator with operands and a result of the same kind. */
function sibling(d: Dice, spec: Spec, use: Use): Use | undefined {
  for (let n = 0; n < 30; n++) {
    const other = d.pick(operators).use(d, spec);
    if (
      other?.operands.length === use.operands.length &&
      other.operands.every((o, i) => sameSpec(o, use.operands[i] as Spec))
    )
      return other;
  }
  return undefined;
}
/** Another draw with operands of the same kind: another offset, another number of bits to shift by. */
function otherUse(operator: Operator, d: Dice, spec: Spec, use: Use): Use | undefined {
  if (use.operands.length > 1) return undefined;
  for (let n = 0; n < 20; n++) {
    const other = operator.use(d, spec);
    if (other?.operands.every((o, i) => sameSpec(o, use.operands[i] as Spec)) === true) return other;
  }
  return undefined;
}

/** Whether, and for which results, an operator can be made: found by trying. */
const gives = (o: Operator, spec: Spec): boolean => o.use(new Random(1), spec) !== undefined;

const named = new Map(positions.map(p => [p.name, p]));
/** Where an operator that is looked at as an operand stands itself. */
const outside = (d: Dice, spec: Spec): Position =>
  named.get(
    spec.width === 1 && !spec.signed
      ? d.pick(["output", "enable of a register", "wire", "one of two conditions alike"])
      : d.pick(["output", "wire", "register"]),
  ) as Position;

const zero = (spec: Spec): Term => numberTerm(0n, spec);

type Inner = {
  readonly name: string;
  readonly make: (d: Dice, spec: Spec, leaf: (spec: Spec) => Term, name: string) => Term | undefined;
};
const inners: readonly Inner[] = [
  {
    name: "number",
    make: (d, spec) => {
      const value = d.pick([0n, 1n, -1n, 2n, BigInt(d.below(65536)), (1n << BigInt(spec.width - 1)) - 1n]);
      return numberTerm(BigInt.asUintN(spec.width, value), spec);
    },
  },
  { name: "signal", make: (_, spec, leaf) => leaf(spec) },
  ...operators.map((o): Inner => ({
    name: o.name,
    // Where the other sign is asked for, its bits with that sign: what is below must not notice.
    make: (d, spec, leaf, name) => {
      const flipped = { width: spec.width, signed: !spec.signed },
        other = (): Term | undefined => {
          const x = valueOf(o, d, flipped, leaf, name);
          return x === undefined ? undefined : cast(x);
        };
      return (d.chance(0.2) ? other() : undefined) ?? valueOf(o, d, spec, leaf, name) ?? other();
    },
  })),
];

function statementCell(inner: Inner, p: Position): Cell | undefined {
  const takes = (d: Dice, leaf: (spec: Spec) => Term, name: string): Term | undefined => {
    const from = d.below(p.takes.length);
    for (let n = 0; n < p.takes.length; n++) {
      const spec = p.takes[(from + n) % p.takes.length] as Spec;
      const x = inner.make(d, spec, leaf, name);
      if (x !== undefined) return x;
    }
    return undefined;
  };
  if (takes(new Random(1), zero, "x") === undefined) return undefined;
  return {
    operator: inner.name,
    position: p.name,
    make: (d, leaf, name) => ({ position: p, x: takes(d, leaf, name) as Term }),
  };
}

function operandCell(inner: Inner, outer: Operator, slot: string, at: number): Cell | undefined {
  const make = (d: Dice, given: (spec: Spec) => Term, name: string): Term | undefined => {
    // Numbers beside numbers: what the language works out itself.
    const leaf = (spec: Spec): Term =>
      inner.name === "number" && d.chance(0.5) ? numberTerm(pattern(d, spec.width), spec) : given(spec);
    const from = d.below(RESULTS.length);
    for (let n = 0; n < RESULTS.length; n++) {
      const spec = RESULTS[(from + n) % RESULTS.length] as Spec;
      if (!gives(outer, spec)) continue;
      let inside: Term | undefined;
      const accept = (use: Use): boolean => {
        const wanted = use.operands[at];
        inside = wanted === undefined ? undefined : inner.make(d, wanted, leaf, `${name}i`);
        return inside !== undefined && wanted !== undefined && sameSpec(inside, wanted);
      };
      const x = valueOf(outer, d, spec, leaf, name, accept, [at, () => inside as Term]);
      if (x !== undefined) return x;
    }
    return undefined;
  };
  if (make(new Random(1), zero, "x") === undefined) return undefined;
  return {
    operator: inner.name,
    position: `${outer.name}: ${slot}`,
    make: (d, leaf, name) => {
      const x = make(d, leaf, name) as Term;
      return { position: outside(d, x), x };
    },
  };
}

/** Operators that the language works out where they meet: each pair more often, for the widths matter there. */
const folds = (name: string): boolean =>
  /^(number|not|parity|any|all|bits of|cat|repeat|zext|sext|asUint|asSint|mul|lt|le|gt|ge|mod|shl by|shr by)/.test(
    name,
  );

export interface Grid {
  readonly cells: readonly Cell[];
  readonly rows: readonly string[];
  readonly columns: readonly string[];
}
let all: Grid | undefined;
/** All legal cells, and the names of the rows and columns of their table. Found once. */
export function grid(): Grid {
  return (all ??= find());
}
function find(): Grid {
  const places = operators.flatMap(o => [...new Set(o.slots)].map(slot => ({ o, slot, at: o.slots.indexOf(slot) })));
  const cells = inners.flatMap(i => [
    ...positions.flatMap(p => {
      const cell = statementCell(i, p),
        often = /alike$/.test(p.name) || /^shr.*signed/.test(i.name);
      return cell === undefined ? [] : Array.from({ length: often ? 4 : 1 }, () => cell);
    }),
    ...places.flatMap(({ o, slot, at }) => {
      const cell = operandCell(i, o, slot, at);
      return cell === undefined ? [] : Array.from({ length: folds(i.name) && folds(o.name) ? 4 : 1 }, () => cell);
    }),
  ]);
  return {
    cells,
    rows: inners.map(i => i.name),
    columns: [...positions.map(p => p.name), ...places.map(p => `${p.o.name}: ${p.slot}`)],
  };
}
