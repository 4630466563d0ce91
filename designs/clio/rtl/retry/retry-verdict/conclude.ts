/** Stage 3: the finding for the results, and what counts as forgotten from now on. */
import {
  type Bit,
  cat,
  encodeOnehot,
  fromBits,
  isAfter,
  mux,
  node,
  onehotMux,
  priority,
  type UInt,
  type Var,
} from "../../../../../hdl-dsl/index.ts";
import { FindingKind } from "../retry-results.ts";
import { quarterBefore } from "../retry-store.ts";
import type { Held, Newcomer } from "./hold.ts";
import type { Lookup } from "./look-up.ts";
import type { Memories } from "./memories.ts";
import type { RetryVerdictIo } from "./ports.ts";
import type { Decision, Judged, Room, Sizes } from "./records.ts";
import type { Search } from "./search.ts";
import type { Clients } from "./units.ts";

/** The operation that has the way that makes room. */
interface Victim {
  readonly valid: Bit;
  readonly client: UInt;
  readonly operation: UInt;
  readonly slot: UInt;
}

/** Each way is as the request just ahead left it before the choice comes: that is late. */
function victimOf(row: Lookup["row"], { client, ahead }: Held, { current }: Search, room: Room): Victim {
  const chosen = (of: (way: Lookup["row"][number]) => UInt, ofAhead: UInt): UInt =>
    onehotMux(
      room.way,
      row.map((way, i) => mux(current[i] as Bit, of(way), ofAhead)),
    );
  return {
    valid: room.full,
    // It is the one just ahead only when that one is the asking client's.
    client: chosen(way => way.client, client),
    operation: chosen(way => way.operation, ahead.operation),
    slot: chosen(way => way.slot, ahead.slot),
  };
}

/** The client's number has gone a quarter of a round past its mark. */
function isFarAhead(p: Sizes, { request, mark }: Held): Bit {
  const distance = request.operation.sub(mark);
  return distance.bits(p.operationBits - 2, 2).eq(1);
}

interface ConcludeNeeds {
  readonly row: Lookup["row"];
  readonly search: Search;
  readonly room: Room;
  readonly decision: Decision;
  /** What its client may not begin ends for good. */
  readonly final: Bit;
}

export function conclude(p: Sizes, judged: Var<ReturnType<typeof Judged>>, held: Held, from: ConcludeNeeds): void {
  const { row, search, room } = from,
    { kept, refused, stays, remembers, settles } = from.decision,
    { at, request, known, client, ahead } = held;
  const victim = victimOf(row, held, search, room);
  const hitWay = encodeOnehot(fromBits(search.hits)).is(Math.log2(p.ways)),
    hitSlot = onehotMux(
      search.hits,
      row.map(w => w.slot),
    );
  const way = priority([search.repeatsAhead, ahead.way], [search.anyHit, hitWay], room.number);
  // Newly forgotten of a client: the operation that is pushed out, or the number a quarter of a round back. The latter
  // keeps serial numbers comparable for a client that runs for long without one pushed out.
  const pushesOut = node(remembers.and(victim.valid));
  const drags = node(settles.and(request.tracked).and(known).and(isFarAhead(p, held)));
  const quarterBack = quarterBefore(request.operation).is(p.operationBits);
  judged.set({
    valid: settles.and(kept.or(refused).or(stays)),
    kind: priority(
      [refused.or(stays), FindingKind.busy],
      [search.hit, FindingKind.found],
      [search.fresh, FindingKind.entered],
      [search.newer, mux(from.final, FindingKind.yields, FindingKind.busy)],
      FindingKind.expired,
    ),
    slot: request.access.slot,
    entry: cat(at.row, way),
    entrySlot: priority([search.repeatsAhead, ahead.slot], [search.anyHit, hitSlot], victim.slot),
    silent: request.access.silent,
    replyOpcode: request.access.replyOpcode,
    full: victim.valid,
    drags,
    // Without `forgets` they say nothing: whether the stage moves on is known late, and not waited for.
    client: mux(pushesOut, victim.client, client),
    operation: mux(pushesOut, victim.operation, quarterBack),
  });
}

/** What is forgotten, from registers: whether a request is entered comes late. */
export function forgottenBy(judged: Var<ReturnType<typeof Judged>>): Judged {
  const entered = judged.valid.and(judged.kind.eq(FindingKind.entered));
  const evicts = node(entered.and(judged.full), { name: "judged_evicts" });
  return { ...judged, evicts, forgets: node(evicts.or(judged.drags), { name: "judged_forgets" }) };
}

/** What the results are told: the finding about a request. Who is entered passes, and is remembered. */
export function tell(io: RetryVerdictIo, judged: Judged): void {
  io.finding.set({
    valid: judged.valid,
    kind: judged.kind,
    slot: judged.slot,
    entry: judged.entry,
    entrySlot: judged.entrySlot,
    silent: judged.silent,
    replyOpcode: judged.replyOpcode,
  });
  io.evicted.set(judged.evicts);
}

/** The forgotten mark is written, unless a newer one was; for a newcomer, it covers all earlier operations. */
export function writeMark(
  forgotten: Memories["forgotten"],
  judged: Judged,
  { enters, preceding }: Newcomer,
  clients: Clients,
): void {
  const advances = isAfter(judged.operation, forgotten.readAsync(judged.client));
  const newest = node(judged.forgets.and(advances));
  forgotten.write(
    newest.or(enters),
    mux(judged.forgets, judged.client, clients.place.index),
    mux(judged.forgets, judged.operation, preceding),
  );
}
