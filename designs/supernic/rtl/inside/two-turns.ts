import {
  addressBits,
  type Bit,
  constant,
  decode,
  encodeOnehot,
  fromBits,
  node,
  orTree,
  reg,
  toBits,
  uint,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";

/** Whose turn it is among groups, and in each group. */
export interface TwoTurns {
  /** The group that is served now, a bit each. */
  readonly groups: readonly Bit[];
  /** In each group the member that is served if the group is, a bit each; and its number. */
  readonly members: readonly (readonly Bit[])[];
  readonly numbers: readonly UInt[];
}

/**
 * The first one that asks behind `last`, a bit each. For each two it is found out by `last` alone which of them is in
 * front: that is early. An ask, which is late, has only those in front of it to pass.
 */
function firstBehind(name: string, asks: readonly Bit[], last: readonly Bit[]): readonly Bit[] {
  const n = asks.length;
  // Behind any of i to j - 1, in a ring, j comes before i.
  const isBefore = (j: number, i: number): Bit =>
    orTree(Array.from({ length: (j - i + n) % n }, (_, k) => last[(i + k) % n] ?? constant(0, 1)));
  return asks.map((ask, i) => {
    const others = asks.flatMap((other, j) => (j === i ? [] : [other.and(isBefore(j, i))]));
    return node(others.length === 0 ? ask : ask.andNot(orTree(others)), { name: `${name}_to_${i}` });
  });
}

/** The turn of groups. */
function groupTurn(name: string, asks: readonly Bit[]): readonly Bit[] {
  const last = reg(uint(asks.length), { init: 1, name: `${name}_last` }),
    grants = firstBehind(name, asks, toBits(last));
  when(orTree(asks), () => last.set(fromBits(grants).is(asks.length)));
  return grants;
}

/**
 * The turn of a group's members. The last one is kept as a number: of four members each grant, and each bit of its
 * number, is then one lookup table, where three are needed for a last one with a bit for each.
 */
function memberTurn(name: string, asks: readonly Bit[], served: Bit) {
  const n = asks.length;
  if (n === 1) return { grants: asks, number: constant(0, 1) };
  const last = reg(uint(addressBits(n)), { init: 0, name: `${name}_last` }),
    grants = firstBehind(name, asks, toBits(decode(last, n))),
    number = encodeOnehot(fromBits(grants));
  when(served, () => last.set(number));
  return { grants, number };
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
