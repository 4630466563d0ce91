import {
  addressBits,
  type Bit,
  constant,
  decode,
  encodeOnehot,
  fromBits,
  mux,
  node,
  orTree,
  reg,
  toBits,
  uint,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";
import { grantsBehind } from "../../../shared/stream/index.ts";

/** Whose turn it is among groups, and in each group. */
export interface TwoTurns {
  /** The group that is served now, a bit each. */
  readonly groups: readonly Bit[];
  /** In each group the member that is served if the group is, a bit each; and its number. */
  readonly members: readonly (readonly Bit[])[];
  readonly numbers: readonly UInt[];
}

/**
 * The turn of a group's members. The last one is kept as a number: of four members each grant, and each bit of its
 * number, is then one lookup table, where three are needed for a last one with a bit for each.
 */
function memberTurn(name: string, asks: readonly Bit[], served: Bit) {
  const n = asks.length;
  if (n === 1) return { grants: asks, number: constant(0, 1) };
  const last = reg(uint(addressBits(n)), { init: 0, name: `${name}_last` }),
    grants = grantsBehind(name, asks, decode(last, n)),
    number = encodeOnehot(fromBits(grants));
  when(served, () => last.set(number));
  return { grants, number };
}

/**
 * The turn of groups: the first behind the last one served, else the first of all. Who is behind follows from the
 * register while it is still found out who asks, so that an ask has only those in front of it to pass.
 */
function groupTurn(name: string, asks: readonly Bit[]): readonly Bit[] {
  const n = asks.length,
    last = reg(uint(n), { init: 1, name: `${name}_last` }),
    none = constant(0, 1).bit(0),
    anyOf = (list: readonly Bit[]): Bit => (list.length === 0 ? none : orTree(list));
  const behind = asks.map((_, i) => node(anyOf(toBits(last).slice(0, i)), { name: `${name}_behind_${i}` })),
    later = asks.map((ask, i) => ask.and(behind[i] ?? none)),
    anyLater = node(anyOf(later), { name: `${name}_any_behind` });
  const grants = asks.map((ask, i) => {
    const among = anyOf(later.slice(0, i)),
      around = anyLater.or(anyOf(asks.slice(0, i)));
    return node(ask.andNot(mux(behind[i] ?? none, among, around)), { name: `${name}_to_${i}` });
  });
  when(anyOf(asks), () => last.set(fromBits(grants).is(n)));
  return grants;
}

/**
 * Round robin over groups, and within each over its members; `asks[group][member]`. Who is granted is served in this
 * cycle. A member that asks until it is served waits for at most groups x members - 1 others.
 */
export function twoTurns(name: string, asks: readonly (readonly Bit[])[]): TwoTurns {
  const groups = groupTurn(`${name}_group`, asks.map(orTree)),
    turns = asks.map((a, i) => memberTurn(`${name}_${i}`, a, groups[i] ?? orTree(a)));
  return { groups, members: turns.map(t => t.grants), numbers: turns.map(t => t.number) };
}
