import { type Bit, constant, orTree } from "../../../../hdl-dsl/index.ts";
import { fairTurn } from "../../../shared/stream/index.ts";

/** Whose turn it is among groups, and in each group. */
export interface TwoTurns {
  /** The group that is served now, a bit each. */
  readonly groups: readonly Bit[];
  /** In each group the member that is served if the group is. */
  readonly members: readonly (readonly Bit[])[];
}

/**
 * Round robin over groups, and within each over its members; `asks[group][member]`. Who is granted is served in this
 * cycle. A member that asks until it is served waits for at most groups x members - 1 others.
 */
export function twoTurns(name: string, asks: readonly (readonly Bit[])[]): TwoTurns {
  const groups = fairTurn(`${name}_group`, asks.map(orTree));
  return {
    groups,
    members: asks.map((a, i) => fairTurn(`${name}_${i}`, a, groups[i] ?? constant(0, 1))),
  };
}
