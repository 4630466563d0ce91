/** What must always be so, and for proofs that no operation is remembered twice. */
import { assertAlways, cat, fromBits, several, type UInt } from "../../../../../hdl-dsl/index.ts";
import { watchOperation } from "../retry-watch.ts";
import type { Held } from "./hold.ts";
import type { Lookup } from "./look-up.ts";
import type { Clearing, Memories } from "./memories.ts";
import type { RetryVerdictIo } from "./ports.ts";
import type { Decision, Judged, Sizes } from "./records.ts";
import type { Search } from "./search.ts";

interface Checked {
  readonly memories: Memories;
  readonly clearing: Clearing;
  readonly hashKey: UInt;
  readonly lookup: Lookup;
  readonly held: Held;
  readonly found: Search;
  readonly decision: Decision;
  readonly judged: Judged;
}

export function check(p: Sizes, io: RetryVerdictIo, from: Checked): void {
  const { lookup, held, found, memories } = from,
    { kept, inserts } = from.decision,
    { clearing } = from.clearing;
  const matching = cat(found.repeatsAhead, fromBits(found.hits));
  const judges = held.at.valid.andNot(held.at.sweeping).and(held.known);
  assertAlways(judges.and(kept).and(several(matching)).not(), "an operation is remembered once");
  assertAlways(clearing.and(inserts).not(), "nothing is remembered while the memories are cleared");
  if (p.watchedNumbers === undefined) return;
  watchOperation({
    sets: p.sets,
    numbers: p.watchedNumbers,
    hashKey: from.hashKey,
    clearing,
    arriving: io.request.payload,
    looked: lookup.looked,
    asking: lookup.asking,
    found: { valid: lookup.known, index: lookup.index },
    ...held,
    hit: found.hit,
    row: lookup.row,
    inserts,
    judged: from.judged,
    entriesAt: at => memories.entries.readAsync(at).toArray(),
    forgottenAt: of => memories.forgotten.readAsync(of),
  });
}
