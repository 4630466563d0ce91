import { type Bit, constant, node, priority, type UInt, type Val } from "../../../../hdl-dsl/index.ts";
import { statusBits } from "../../../clio/wire/index.ts";
import type { Op, SetState } from "./state.ts";

/** What the second stage sees, all of it registers but `room`s. */
export interface Seen {
  readonly op: Val<ReturnType<typeof Op>>;
  readonly valid: Bit;
  /** Its way, a bit of all. */
  readonly way: UInt;
  readonly set: Val<ReturnType<typeof SetState>>;
  /** Ways whose tag is the request's, valid or not. */
  readonly match: UInt;
  /** Misses that fetch the line, and those whose victim it is. */
  readonly line: UInt;
  readonly victim: UInt;
  readonly missRoom: Bit;
  readonly waitRoom: Bit;
}
/** What it makes of it: one of them at most but `found`, `found` with none of the others. */
export interface Decision {
  readonly found: UInt;
  readonly hit: Bit;
  readonly answers: Bit;
  readonly status: UInt;
  readonly parks: Bit;
  readonly forLine: Bit;
  /** It needs a way and a miss: the machine behind takes over. */
  readonly begins: Bit;
  /** It is looked up again: there is no room for what it needs. */
  readonly blocked: Bit;
  readonly finishes: Bit;
  readonly drops: Bit;
  /** Software's order needs nothing: the place is empty. */
  readonly idle: Bit;
}

export function decide(s: Seen): Decision {
  const { op, set } = s,
    access = node(s.valid.and(op.kind.is("access"))),
    evict = node(s.valid.and(op.kind.is("evict")));
  const found = node(s.match.and(set.valid), { name: "found" }),
    writable = node(found.and(set.writable).any()),
    failed = node(op.failed.any());
  const line = node(s.line.any()),
    waits = node(line.or(s.victim.any()), { name: "waits" });
  const settled = node(access.and(failed)),
    parks = node(access.andNot(failed).and(waits)),
    looked = node(access.andNot(failed).andNot(waits)),
    present = node(found.any(), { name: "present" }),
    refused = node(looked.and(present).and(op.write).andNot(writable));
  const room = node(s.waitRoom.or(op.again), { name: "place_to_wait" });
  const { way } = s,
    there = node(set.valid.and(way).any()),
    dirty = node(set.dirty.and(way).any()),
    pending = node(set.writable.andNot(set.valid).and(way).any());
  const needs = node(looked.andNot(present).or(evict.and(there).and(dirty))),
    begins = node(needs.and(s.missRoom).and(room.or(evict)), { name: "begins" });
  return {
    found,
    hit: node(looked.and(present).andNot(refused), { name: "hit" }),
    answers: node(settled.or(refused), { name: "answers" }),
    status: priority([failed, op.failed], [refused, statusBits.WRITE_PERM], constant(0, 4)),
    parks: node(parks.and(room), { name: "parks_now" }),
    forLine: line,
    begins,
    // Software's order for a way that waits for its line comes again by itself: what is behind it goes on.
    blocked: node(parks.andNot(room).or(needs.andNot(begins)), { name: "blocked" }),
    finishes: node(s.valid.and(op.kind.is("finish")), { name: "finishes_now" }),
    drops: node(evict.and(there).andNot(dirty), { name: "drops" }),
    idle: node(evict.andNot(there).andNot(pending)),
  };
}
