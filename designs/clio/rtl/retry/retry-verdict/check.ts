/** What must always be so, and for proofs that no operation is remembered twice. */
import { assertAlways, type Bit, cat, fromBits, several, type UInt } from "../../../../../hdl-dsl/index.ts";
import { watchPlace } from "../retry-swept.ts";
import { watchOperation } from "../retry-watch.ts";
import type { Held } from "./hold.ts";
import type { Lookup } from "./look-up.ts";
import type { Clearing, Memories } from "./memories.ts";
import type { RetryVerdictIo } from "./ports.ts";
import type { Decision, Judged, Sizes, Sought } from "./records.ts";
import type { Search } from "./search.ts";
import type { Clients } from "./units.ts";

interface Checked {
  readonly memories: Memories;
  readonly clearing: Clearing;
  readonly hashKey: UInt;
  readonly lookup: Lookup;
  readonly held: Held;
  readonly found: Search;
  readonly decision: Decision;
  readonly judged: Judged;
  /** A request passes, in this cycle. */
  readonly passes: Bit;
  readonly clients: Clients;
  /** A client is forgotten for another; another's turn is over, whose place it is. */
  readonly retires: Bit;
  readonly turn: UInt;
}

export function check(p: Sizes, io: RetryVerdictIo, from: Checked): void {
  const { lookup, held, found, memories } = from,
    { kept, inserts } = from.decision,
    { clearing } = from.clearing;
  const matching = cat(found.repeatsAhead, fromBits(found.hits));
  const judges = held.at.valid.andNot(held.at.sweeping).and(held.known);
  assertAlways(judges.and(kept).and(several(matching)).not(), "an operation is remembered once");
  assertAlways(from.passes.and(kept).eq(inserts), "what is kept passes as it is remembered, and not otherwise");
  assertAlways(clearing.and(inserts).not(), "nothing is remembered while the memories are cleared");
  const entriesAt = (at: UInt) => memories.entries.readAsync(at).toArray(),
    { clients, retires } = from;
  if (p.watchedPlaces === true) {
    const isRequest = (stage: Sought): Bit => stage.valid.andNot(stage.sweeping);
    watchPlace({
      sets: p.sets,
      clients: p.clients,
      any: io.request.payload.operation,
      entriesAt,
      enters: { valid: clients.add.valid, place: clients.place.index },
      retires: { valid: retires, place: clients.idle.index },
      lookedUp: { valid: isRequest(lookup.looked).and(lookup.known), place: lookup.index },
      decided: { valid: isRequest(held.at).and(held.known), place: held.client },
    });
  }
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
    leaves: place => retires.and(clients.idle.index.eq(place)).or(clients.struck.and(from.turn.eq(place))),
    judged: from.judged,
    entriesAt,
    forgottenAt: of => memories.forgotten.readAsync(of),
  });
}
