import {
  bit,
  type Bit,
  fromBits,
  lowestFlat,
  node,
  onehotMux,
  struct,
  uint,
  type UInt,
  type Val,
  vec,
} from "../../../../hdl-dsl/index.ts";
import type { tableEntry } from "../inside/index.ts";
import { type DeviceSizes } from "../inside/index.ts";

type StageEntry = ReturnType<typeof tableEntry<"dagStage">>;
type Field = keyof StageEntry["fields"];

/** What a branch of a stage is sent through. */
export const BranchRow = (p: DeviceSizes) => struct({ valid: bit, chain: uint(6), run: uint(p.slots), arg: uint(8) });
/** A stage's entry as it is kept: the branches and slots that this build has. */
export const StageRow = (p: DeviceSizes) => struct({ last: bit, rows: vec(BranchRow(p), p.branches) });

export function stageRow(entry: Val<StageEntry>, p: DeviceSizes) {
  const of = (name: string): UInt => entry[name as Field];
  return {
    last: of("last").trunc(1),
    rows: Array.from({ length: p.branches }, (_, b) => ({
      valid: of(`valid${b}`).trunc(1),
      chain: of(`chain${b}`).is(6),
      run: of(`run${b}`).trunc(p.slots),
      arg: of(`arg${b}`).is(8),
    })),
  };
}

/** The first branch of those that are left, and whether another one is behind it. */
export function nextBranch(row: Val<ReturnType<typeof StageRow>>, left: UInt) {
  const rows = row.rows.toArray(),
    wanted = node(fromBits(rows.map(r => r.valid)).and(left), { name: "wanted_branches" }),
    first = node(lowestFlat(wanted), { name: "first_branch" });
  const picks: Bit[] = rows.map((_, b) => first.bit(b)),
    of = <T>(field: (r: (typeof rows)[number]) => T): T => onehotMux(picks, rows.map(field)) as T;
  return {
    wanted,
    first,
    rest: node(wanted.andNot(first), { name: "rest_of_branches" }),
    none: node(wanted.any().not(), { name: "no_branch" }),
    chain: of(r => r.chain),
    run: of(r => r.run),
    arg: of(r => r.arg),
  };
}
