import {
  type Bit,
  constant,
  mux,
  node,
  reg,
  struct,
  uint,
  type UInt,
  type Val,
  when,
} from "../../../../hdl-dsl/index.ts";
import { ago, allOnes } from "./arithmetic.ts";
import type { Need } from "./needs.ts";
import { type DrfParameters, gapBits, gapRoundsOf } from "./parameters.ts";

/** How far the level can rise, and what stops it there. */
export const Step = (p: DrfParameters) => struct({ value: uint(gapBits), users: uint(p.users), byNeed: uint(1) });
type StepValue = Pick<Val<ReturnType<typeof Step>>, "value" | "users" | "byNeed">;

/** The lesser of two, and what stops at either when they are alike. */
function lesser(name: string, a: StepValue, b: StepValue): StepValue {
  const isLess = node(b.value.lt(a.value), { name: `${name}_less` }),
    isSame = node(b.value.eq(a.value), { name: `${name}_same` }),
    hasA = node(isLess.not(), { name: `${name}_first` }),
    hasB = node(isLess.or(isSame), { name: `${name}_second` });
  const both = (ofA: UInt, ofB: UInt): UInt =>
    mux(hasA, ofA, constant(0, ofA.width)).or(mux(hasB, ofB, constant(0, ofB.width)));
  return {
    value: node(mux(isLess, b.value, a.value).is(gapBits), { name }),
    users: both(a.users, b.users).is(a.users.width),
    byNeed: both(a.byNeed, b.byNeed).is(1),
  };
}
/** The lesser of each two, and an odd one. */
const round = (name: string, list: readonly StepValue[]): StepValue[] =>
  Array.from({ length: Math.ceil(list.length / 2) }, (_, i) => {
    const [a, b] = [list[2 * i] as StepValue, list[2 * i + 1]];
    return b === undefined ? a : lesser(`${name}_${i}`, a, b);
  });

/**
 * The least of the gaps of all rows, group by group, and of the next need. A group takes a cycle for two rounds of
 * comparing until six gaps are left, and one for the rest.
 */
export function leastOf(
  p: DrfParameters,
  o: {
    readonly gaps: readonly { readonly value: UInt; readonly users: UInt }[];
    /** The gaps of a group are there. */
    readonly there: Bit;
    readonly need: Need;
    /** A step begins. */
    readonly begin: Bit;
  },
): StepValue {
  const step = Step(p);
  let list: StepValue[] = o.gaps.map(g => ({
      value: g.value.is(gapBits),
      users: g.users.is(p.users),
      byNeed: constant(0, 1),
    })),
    there = o.there;
  for (let c = 0; c < gapRoundsOf(p); c++) {
    const now = there;
    list = round(`gaps_${c}_b`, round(`gaps_${c}_a`, list)).map((v, i) => {
      const kept = reg(step, { name: `gap_${c}_${i}` });
      when(now, () => kept.set({ value: v.value, users: v.users, byNeed: v.byNeed }));
      return kept;
    });
    there = ago(`gaps_there_${c}`, now, 1);
  }
  const least = reg(step, { name: "least" });
  const need: StepValue = {
    value: o.need.missing.is(gapBits),
    users: constant(0, p.users).is(p.users),
    byNeed: o.need.users.any().zext(1).is(1),
  };
  list = [least, need, ...list];
  for (let r = 0; list.length > 1; r++) list = round(`least_${r}`, list);
  const [next] = list as [StepValue];
  when(o.begin, () => least.set({ value: allOnes(gapBits).is(gapBits), users: 0, byNeed: 0 })).elseWhen(there, () =>
    least.set({ value: next.value, users: next.users, byNeed: next.byNeed }),
  );
  return least;
}
