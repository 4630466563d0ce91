/** The decision about the request in the second stage, with all that it hangs on. */
import { bit, encodeOnehot, mux, node, wire } from "../../../../hdl-dsl/index.ts";
import { derived } from "../../config/index.ts";
import { decide } from "./decide.ts";
import { intake } from "./intake.ts";
import { misses } from "./misses.ts";
import type { Parts } from "./parts.ts";
import { waiting } from "./waiting.ts";

export function decisionOf({ io, p, orders, stages }: Parts) {
  const { finishes, kills, begun, running, settles, issueAccess } = orders,
    { second, secondValid, secondSet, match, lineMatch, victimMatch, opWay, way, victimTag, victimDirty, fetches } =
      stages;
  const requests = intake(p, io.request, {
    take: issueAccess,
    settle: node(settles.andNot(second.again)),
    // What was killed behind a miss is read again; the miss itself has gone then.
    rewind: node(kills.or(begun)),
  });
  const known = misses(p, {
    begin: begun,
    set: second.index,
    tag: second.tag,
    way,
    victim: victimTag,
    fetch: fetches,
    dirty: victimDirty,
    finished: second.miss,
    filled: node(finishes.and(second.fill)),
    released: node(finishes.and(second.release)),
  });
  const waitRoom = wire(bit);
  const d = decide({
    op: second,
    way: opWay,
    valid: node(secondValid.and(running)),
    set: secondSet,
    match,
    line: lineMatch,
    victim: victimMatch,
    missRoom: known.room,
    waitRoom,
  });
  finishes.set(d.finishes);
  const parkedFor = node(mux(begun, known.next, encodeOnehot(lineMatch.or(victimMatch)).is(derived(p).missBits)), {
    name: "parked_for",
  });
  const beginsAccess = node(begun.and(fetches));
  const parks = node(d.parks.or(beginsAccess));
  const lists = waiting(p, {
    park: parks,
    miss: parkedFor,
    request: requests.settling,
    forLine: node(d.forLine.or(begun)),
    finish: d.finishes,
    finished: second.miss,
    status: second.status,
    again: second.again,
    pop: node(settles.and(second.again)),
    free: node(settles.and(second.again).andNot(parks)),
  });
  waitRoom.set(lists.room);
  return {
    requests,
    known,
    lists,
    d,
    /** A miss begins for a request, which waits for it. */
    beginsAccess,
  };
}
/** New requests, misses under way, and requests that wait for them. */
export type Sources = Pick<ReturnType<typeof decisionOf>, "requests" | "known" | "lists">;
