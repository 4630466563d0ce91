/** Stage 2: whether the operation is remembered, and which way makes room for it when it is not. Wires only. */
import {
  type Bit,
  carryEqual,
  cat,
  encodeOnehot,
  fromBits,
  isAfter,
  mux,
  node,
  orTree,
} from "../../../../../hdl-dsl/index.ts";
import { turnOf } from "../retry-turn.ts";
import type { Held } from "./hold.ts";
import type { Lookup } from "./look-up.ts";
import type { Room, Sizes, Ways } from "./records.ts";

export interface Search {
  /** The ways as they were read, without the one that the request just ahead has overwritten. */
  readonly current: Ways;
  /** The ways that have the operation: one at most. */
  readonly hits: Ways;
  readonly anyHit: Bit;
  /** The request just ahead is for the same operation, and was remembered. */
  readonly repeatsAhead: Bit;
  readonly hit: Bit;
  /** The operation is newer than all of its client that were forgotten; and its client may begin it. */
  readonly newer: Bit;
  readonly fresh: Bit;
}

export function search(
  row: Lookup["row"],
  { request, known, leaving, client, mark, left, leavesIt, ahead }: Held,
): Search {
  const overwrites = node(ahead.inserted.and(ahead.sameSet));
  const current = row.map((_, i) => node(overwrites.and(ahead.way.eq(i)).not(), { name: `current_${i}` }));
  const sought = cat(client, request.operation);
  const hits = row.map((way, i) => {
    const stands = cat(way.client, way.operation);
    return node(carryEqual(stands, sought, way.valid, current[i] as Bit), { name: `hits_${i}` });
  });
  const repeatsAhead = node(ahead.inserted.and(ahead.sameKey));
  const anyHit = node(orTree(hits));
  const hit = node(anyHit.or(repeatsAhead).and(known));
  // What is being written down in this cycle counts, too.
  const newer = node(known.and(isAfter(request.operation, mark)).andNot(left).andNot(leavesIt));
  const fresh = node(newer.andNot(leaving));
  return { current, hits, anyHit, repeatsAhead, hit, newer, fresh };
}

/** The request just ahead has its way already, whatever the row says. */
export function roomIn(p: Sizes, { row, turn }: Lookup, { client, ahead }: Held, { current }: Search): Room {
  const taken = row.map((way, i) => way.valid.or((current[i] as Bit).not()));
  const own = row.map((way, i) => {
    // Few bits: a tree of LUTs is shallower than a carry.
    const same = way.valid.and(way.client.eq(client));
    return node(mux(current[i] as Bit, same, ahead.sameClient), { name: `own_${i}` });
  });
  const { way, next, full } = turnOf(turn, taken, own);
  return { way, number: encodeOnehot(fromBits(way)).is(Math.log2(p.ways)), next, full };
}
