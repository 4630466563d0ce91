import {
  addressBits,
  type Bit,
  constant,
  decode,
  encodeOnehot,
  fromBits,
  orTree,
  reg,
  uint,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";
import { fairTurn, grantsBehind } from "../../../shared/stream/index.ts";

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
 * Round robin over groups, and within each over its members; `asks[group][member]`. Who is granted is served in this
 * cycle. A member that asks until it is served waits for at most groups x members - 1 others.
 */
export function twoTurns(name: string, asks: readonly (readonly Bit[])[]): TwoTurns {
  const groups = fairTurn(`${name}_group`, asks.map(orTree)),
    turns = asks.map((a, i) => memberTurn(`${name}_${i}`, a, groups[i] ?? orTree(a)));
  return { groups, members: turns.map(t => t.grants), numbers: turns.map(t => t.number) };
}
