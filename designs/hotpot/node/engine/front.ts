/** A message comes in and is looked up. */
import { bit, fromBits, fsm, mux, node, orTree, reg, uint, type UInt, when } from "../../../../hdl-dsl/index.ts";
import { bounds, kinds } from "../../wire/index.ts";
import { judgedOf } from "./judge.ts";
import type { Shared } from "./shared.ts";
import { countBits, lineBits, partBits } from "./types.ts";

/** What is known of a message when it is decided, and stands until the next one. Nobody looks before the first. */
function knownOf(e: Shared, director: number) {
  const { asked } = e.beats;
  const kept = (name: string) => reg(bit, { name });
  const known = {
    isOver: kept("is_over"),
    isRecover: kept("is_recover"),
    mayNot: kept("may_not_say_it"),
    laneIsBusy: kept("lane_was_busy"),
    noPlace: kept("has_no_place"),
    isGranted: kept("is_granted"),
    sameParts: kept("is_same_parts"),
    state: reg(uint(2), { name: "state_before" }),
    held: reg(uint(bounds.parts), { name: "held_before" }),
  };
  // Of its own lane a process says all but RECOVER, OPEN, GRANT, and INSPECT of a place.
  const isKind = (k: keyof typeof kinds): UInt<1> => asked.kind.eq(kinds[k]),
    // A lane that is nobody's is not process 0's.
    isOwner = node(e.floors.owner.eq(e.pid).and(e.pid.any()), { name: "is_owner" }),
    isDirector = node(e.pid.eq(director), { name: "is_director" }),
    full = node(e.table.known.or(e.table.room).not(), { name: "is_full" }),
    // Of the area that is asked of: it stands a cycle after the head.
    own = reg(uint(bounds.parts), { name: "asked_part" }),
    wanted = reg(uint(bounds.parts), { name: "wanted_before" }),
    directs = node(
      orTree([isKind("recover"), isKind("open"), isKind("grant"), isKind("inspect").andNot(e.wantsData)]),
      { name: "is_directors" },
    );
  own.set(fromBits(Array.from({ length: bounds.parts }, (_, i) => asked.part.eq(i))));
  const weigh = (): void => {
    known.isOver.set(asked.seq.lt(e.floors.floor));
    known.held.set(mux(e.table.known, e.table.held, 0).is(bounds.parts));
    known.isRecover.set(isKind("recover"));
    known.mayNot.set(mux(directs, isDirector, isOwner.or(isKind("forget").and(isDirector))).not());
    known.laneIsBusy.set(e.table.laneIsBusy);
    // A lane has one commit at a time, so whoever never ends his has one place for each lane that he was given.
    known.noPlace.set(full.or(e.table.laneIsBusy.andNot(e.table.known)));
    known.isGranted.set(e.floors.owner.eq(asked.grantee));
    known.sameParts.set(e.table.meta.parts.zext(8).eq(asked.parts));
    wanted.set(e.table.whole.is(bounds.parts));
    known.state.set(e.table.state);
  };
  return {
    ...known,
    /** The area that is asked of, and all areas of the commit. */
    wasHeld: node(known.held.and(own).any(), { name: "was_held" }),
    allHeld: node(known.held.eq(wanted), { name: "all_held" }),
    weigh,
  };
}

/**
 * `decides` for a cycle, when all is known of the message; the other facts stand until the next one.
 * @param director the process that directs the node
 * @param answered the answer is out, and the next message may come
 */
export function frontOf(e: Shared, director: number, answered: UInt<1>) {
  const { asked } = e.beats,
    opcode = reg(uint(8), { name: "opcode" }),
    length = reg(uint(14), { name: "length" }),
    index = reg(uint(countBits), { name: "index" }),
    bare = reg(bit, { name: "has_no_body" }),
    malformed = judgedOf(e.beats, opcode, length, bare);
  const { weigh, ...known } = knownOf(e, director);
  const { request, requestData } = e.io;
  const s = fsm(
    ["idle", "body", "look", "match", "matched", "search", "weigh", "decide", "work"],
    "idle",
    go => ({
      idle: () => {
        const r = request.payload,
          hasBody = r.length.any();
        index.set(0);
        e.part.set(0);
        e.context.set(r.context);
        opcode.set(r.opcode);
        e.pid.set(r.pid);
        length.set(r.length);
        bare.set(hasBody.not());
        e.digest.begin();
        when(request.valid, () => {
          go.go("weigh");
          when(hasBody, () => go.go("body"));
        });
      },
      body: () =>
        when(requestData.valid, () => {
          const beat = requestData.payload.data;
          when(index.any(), () => e.beats.put(index.sub(1), beat)).otherwise(() => e.beats.head.set(beat.is(lineBits)));
          e.digest.feed(beat);
          when(index.all().not(), () => index.set(index.add(1)));
          when(requestData.payload.last, () => go.go("look"));
        }),
      look: () => {
        e.floors.look(asked.lane);
        e.looking.matches.set(1);
        go.go("match");
      },
      match: () => go.go("matched"),
      matched: () => {
        e.ownCrc.set(e.digest.result);
        go.go("weigh");
        when(asked.kind.eq(kinds.prepare), () => {
          e.looking.searches.set(1);
          go.go("search");
        });
      },
      search: () => {
        const last = e.part.trunc(partBits).all();
        e.part.set(e.part.add(1));
        e.looking.searches.set(last.not());
        when(last, () => go.go("weigh"));
      },
      weigh: () => {
        weigh();
        go.go("decide");
      },
      decide: () => {
        e.part.set(0);
        go.go("work");
      },
      work: () => when(answered, () => go.go("idle")),
    }),
    { name: "front" },
  );
  request.ready.set(s.is("idle"));
  requestData.ready.set(s.is("body"));
  return {
    decides: s.is("decide"),
    malformed,
    opcode,
    ...known,
  };
}
export type Front = ReturnType<typeof frontOf>;
