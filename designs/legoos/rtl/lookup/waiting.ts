import {
  bit,
  type Bit,
  decode,
  firstSet,
  mux,
  node,
  ram,
  reg,
  uint,
  type UInt,
  type Val,
  vec,
  when,
} from "../../../../hdl-dsl/index.ts";
import { derived, type Parameters } from "../../config/index.ts";
import { Request, statusWidth } from "../records/records.ts";

/** What the second stage does with the lists in this cycle; one of `park` and `finish` at most. */
export interface WaitingOrders {
  /** The request waits for `miss`: the asker's in a place of its own, a repeated one in the place that it has. */
  readonly park: Bit;
  readonly miss: UInt;
  readonly request: Val<ReturnType<typeof Request>>;
  /** It waits for the miss's line, and is refused when that is; else for the victim to be safe. */
  readonly forLine: Bit;
  /** All that wait for `finished` are repeated. */
  readonly finish: Bit;
  readonly finished: UInt;
  readonly status: UInt;
  /** The request is the repeated one at the head; and it has been settled or parked anew. */
  readonly again: Bit;
  readonly pop: Bit;
  /** It is not parked anew: its place is free. */
  readonly free: Bit;
}
export interface Waiting {
  readonly room: Bit;
  readonly any: Bit;
  /** The request at the head of those that are repeated, and how its miss has failed (0: not). */
  readonly head: Val<ReturnType<typeof Request>>;
  readonly failed: UInt;
  readonly empty: Bit;
}

/**
 * Requests that wait for misses, in lists: one for each miss, in the order of their coming, and one of those that are
 * to be looked up again. A finished miss's list joins that one whole, in front. Its line may have come and could leave
 * again: so the request that began the miss is the next one. And what waits came from the front, or before all that is
 * there: so requests of one line keep their order, which they would not behind the others.
 * Full: no `room`; the look-up repeats.
 */
export function waiting(p: Parameters, o: WaitingOrders): Waiting {
  const { waitBits } = derived(p),
    slot = uint(waitBits);
  const store = ram(Request(p), { depth: p.waiting, collision: "undefined", style: "distributed", name: "parked" });
  const links = ram(slot, { depth: p.waiting, collision: "undefined", style: "distributed", name: "links" });
  const taken = reg(uint(p.waiting), { init: 0, name: "taken" });
  const owners = reg(vec(uint(derived(p).missBits), p.waiting), { name: "owners" });
  const forLine = reg(uint(p.waiting), { name: "waits_for_line" });
  const failed = reg(vec(uint(statusWidth), p.waiting), { name: "has_failed" });
  const heads = reg(vec(slot, p.misses), { name: "heads" }),
    tails = reg(vec(slot, p.misses), { name: "tails" }),
    some = reg(uint(p.misses), { init: 0, name: "some" });
  const head = reg(slot, { name: "again_head" }),
    tail = reg(slot, { name: "again_tail" }),
    any = reg(bit, { init: 0, name: "again" });

  const fresh = firstSet(taken.not()),
    repeats = node(o.pop, { name: "repeats" });
  const at = node(mux(o.again, head, fresh.index.is(waitBits)), { name: "park_at" });
  const listed = node(some.shr(o.miss).bit(0)),
    ends = node(some.shr(o.finished).bit(0).and(o.finish), { name: "list_ends" });

  store.write(o.park.andNot(o.again), at, o.request);
  const follows = links.readAsync(head);
  const joins = node(o.park.and(listed)),
    appends = node(ends.and(any));
  links.write(joins.or(appends), mux(ends, tails.at(o.finished), tails.at(o.miss)), mux(ends, head, at));
  when(repeats, () => {
    head.set(follows);
    any.set(head.ne(tail));
  });
  when(ends, () => {
    head.set(heads.at(o.finished));
    when(any.not(), () => tail.set(tails.at(o.finished)));
    any.set(1);
  });
  const missed = decode(o.miss, p.misses),
    finished = decode(o.finished, p.misses);
  for (let m = 0; m < p.misses; m++) {
    when(o.park.and(missed.bit(m)), () => {
      tails.at(m).set(at);
      when(some.bit(m).not(), () => heads.at(m).set(at));
      some.setBits(m, o.park);
    });
    when(ends.and(finished.bit(m)), () => some.setBits(m, ends.not()));
  }
  const places = decode(at, p.waiting);
  for (let i = 0; i < p.waiting; i++) {
    when(o.park.and(places.bit(i)), () => {
      taken.setBits(i, o.park);
      owners.at(i).set(o.miss);
      forLine.setBits(i, o.forLine);
      failed.at(i).set(0);
    }).elseWhen(o.free.and(places.bit(i)), () => taken.setBits(i, o.free.not()));
    when(ends.and(taken.bit(i)).and(forLine.bit(i)).and(owners.at(i).eq(o.finished)), () => {
      failed.at(i).set(o.status);
      forLine.setBits(i, ends.not());
    });
  }
  return {
    room: fresh.any,
    any,
    head: store.readAsync(head),
    failed: failed.at(head),
    empty: taken.eq(0),
  };
}
