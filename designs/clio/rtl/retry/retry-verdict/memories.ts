/** What the retry buffer keeps: the operations, whose turn it is to make room, and the forgotten marks. */
import { bit, type Bit, node, ram, reg, uint, type UInt, vec, when } from "../../../../../hdl-dsl/index.ts";
import { hashKeyBits } from "../../../../shared/hash/index.ts";
import { RetryEntry } from "../retry-store.ts";
import { turnBits } from "../retry-turn.ts";
import type { RetryVerdictIo } from "./ports.ts";
import type { Sizes } from "./records.ts";

export function memoriesOf(p: Sizes) {
  const entries = ram(vec(RetryEntry(p), p.ways), {
    depth: p.sets,
    collision: "old",
    // Proofs look into it.
    style: p.watchedNumbers === undefined && p.watchedPlaces === undefined ? "block" : "distributed",
  });
  /** Which way of each set makes room (retry-turn.ts). */
  const turns = ram(uint(turnBits(p.ways)), { depth: p.sets, collision: "new" });
  /** Newest operation forgotten, by client. */
  const forgotten = ram(uint(p.operationBits), { depth: p.clients, collision: "undefined", style: "distributed" });
  return { entries, turns, forgotten };
}
export type Memories = ReturnType<typeof memoriesOf>;

/** The memories are cleared after a reset, row by row. Look-ups in them wait. */
export interface Clearing {
  readonly clearing: Bit;
  readonly row: UInt;
}

export function clearAfterReset(p: Sizes): Clearing {
  const clearing = reg(bit, { init: 1 });
  const cleared = reg(uint(Math.log2(p.sets)), { init: 0 });
  when(clearing, () => {
    cleared.set(cleared.add(1));
    when(cleared.all(), () => clearing.set(0));
  });
  return { clearing, row: cleared };
}

/** The key counts as it is when the first tracked request comes: what is remembered stays where it is looked for. */
export function keyInForce(io: Pick<RetryVerdictIo, "request" | "hashKey">): UInt {
  const hashKey = reg(uint(hashKeyBits));
  const inUse = reg(bit, { init: 0 });
  const tracks = node(io.request.fire.and(io.request.payload.tracked));
  when(tracks, () => inUse.set(1)).elseWhen(inUse.not(), () => hashKey.set(io.hashKey));
  return hashKey;
}
