/** Requests that wait for replies: sets of four, looked up in one cycle and changed in the next. */
import {
  type Bit,
  bit,
  constant,
  firstSet,
  fromBits,
  mux,
  node,
  onehotMux,
  orTree,
  ram,
  reg,
  uint,
  type UInt,
  when,
} from "../../../../../hdl-dsl/index.ts";
import { replicaKeyBits, replicaSets, replicaWays } from "../../../wire/index.ts";
import { setBits, stampBits, Waiting } from "./records.ts";
import type { Time } from "./time.ts";

/** What is looked up: a set, and who waits; `ages`: the set that is to be looked at for its age. */
export interface Look {
  readonly key: UInt;
  readonly set: UInt;
  readonly ages: Bit;
  /** The stages move. */
  readonly moves: Bit;
}
/** What is decided in the cycle behind it. */
export interface Decision {
  readonly isRequest: Bit;
  readonly isReply: Bit;
  /** The request may be copied, if there is a place for it. */
  readonly accepted: Bit;
  readonly want: UInt;
  readonly from: UInt;
  readonly status: UInt;
}
/** A key is compared in parts, and these in the next cycle. */
const partBits = 16,
  parts = Array.from({ length: replicaKeyBits / partBits }, (_, i) => partBits * i);
const ways = Array.from({ length: replicaWays }, (_, i) => i);

/**
 * A request takes a place; one that waits already keeps its own. A reply counts once for each node. `done`: it is the
 * last one, and its place is free. A place in which nothing was heard for longer than `life` is given back.
 */
export function tableOf(time: Time, look: Look, d: Decision, acts: Bit) {
  const options = { depth: replicaSets, collision: "undefined", style: "distributed" } as const,
    keys = ways.map(i => ram(uint(replicaKeyBits), { ...options, name: `keys_${i}` })),
    places = ways.map(i => ram(Waiting, { ...options, name: `places_waiting_${i}` })),
    at = mux(time.due, time.setAt, look.set).is(setBits);
  const key = reg(uint(replicaKeyBits), { name: "decided_key" }),
    set = reg(uint(setBits), { name: "decided_set" }),
    ages = reg(bit, { init: 0, name: "decides_age" });
  when(look.moves, () => {
    key.set(look.key.is(replicaKeyBits));
    set.set(at);
    ages.set(look.ages);
  });
  const rows = ways.map(i => {
    const row = reg(Waiting, { name: `row_${i}` }),
      same = reg(uint(replicaKeyBits / partBits), { name: `same_${i}` }),
      age = reg(uint(stampBits), { name: `age_${i}` }),
      place = places[i]?.readAsync(at),
      held = keys[i]?.readAsync(at);
    if (place === undefined || held === undefined) throw new Error("unreachable: a way has both memories");
    when(look.moves, () => {
      row.set(place);
      same.set(
        fromBits(parts.map(from => held.bits(from, partBits).eq(look.key.bits(from, partBits)))).is(parts.length),
      );
      age.set(time.now.sub(place.stamp));
    });
    return { row, match: node(row.valid.and(same.all()), { name: `matches_${i}` }), age };
  });

  const matches = rows.map(r => r.match),
    hit = node(orTree(matches), { name: "is_waited_for" }),
    of = (field: "got" | "want" | "status"): UInt =>
      onehotMux(
        matches,
        rows.map(r => r.row[field]),
      ),
    got = of("got").or(d.from),
    want = of("want"),
    worst = of("status"),
    fresh = node(d.from.and(want).andNot(of("got")).any(), { name: "is_fresh" });
  const counts = node(d.isReply.and(hit).and(fresh), { name: "reply_counts" }),
    done = node(counts.and(got.eq(want)), { name: "is_done" }),
    free = firstSet(fromBits(rows.map(r => r.row.valid.not()))),
    copies = node(d.isRequest.and(d.accepted).and(hit.or(free.any)), { name: "copies_now" }),
    begins = node(copies.andNot(hit), { name: "begins_to_wait" }),
    status = mux(worst.gt(d.status), worst, d.status);
  const ends = node(ages.or(done).or(time.sweeping), { name: "ends_to_wait" });
  rows.forEach(({ row, match, age }, i) => {
    const old = node(ages.and(row.valid).and(time.isOld(age)), { name: `gives_back_${i}` }),
      changes = orTree([counts.and(match), begins.and(free.index.eq(i)), old]),
      writes = node(time.sweeping.or(acts.and(changes)), { name: `writes_place_${i}` }),
      address = mux(time.sweeping, time.setAt, set).is(setBits);
    places[i]?.write(writes, address, {
      valid: ends.not(),
      want: mux(begins, d.want, want).is(4),
      got: mux(begins, constant(0, 4), got),
      status: mux(begins, constant(0, 4), status),
      stamp: time.now,
    });
    keys[i]?.write(node(acts.and(begins).and(free.index.eq(i)), { name: `writes_key_${i}` }), set, key);
  });
  return { copies, done, status };
}
