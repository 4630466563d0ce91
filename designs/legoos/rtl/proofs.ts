/** What is proved of the ExCache: the lists of requests that wait, for any orders of the look-up. */
import {
  assertAlways,
  bit,
  type Bit,
  constant,
  cover,
  firstSet,
  fromBits,
  input,
  literalOf,
  module,
  mux,
  node,
  output,
  priority,
  type Proof,
  reg,
  uint,
  vec,
  when,
} from "../../../hdl-dsl/index.ts";
import { makeParameters, type Parameters } from "../config/index.ts";
import { waiting } from "./lookup/waiting.ts";
import { Request } from "./records/records.ts";

const small = makeParameters({ misses: 2, waiting: 4, idBits: 2, lineBytes: 128, sets: 2, ways: 2 });
/** Where a place is: free, in the list of a miss, or among those that are looked up again. */
const free = 0,
  listOf = (m: number): number => 1 + m,
  again = 3,
  whereBits = 2;

/**
 * A request carries the number of its place, so that the model sees from outside whose turn it is. Of two places, any,
 * the model knows which is ahead when both are in one list.
 */
const harness = module(
  "ExCacheWaitingProof",
  (p: Parameters) => ({
    what: input(uint(2)),
    second: input(bit),
    miss: input(uint(1)),
    pair: input(uint(2 * Math.log2(p.waiting))),
    turn: output(uint(2)),
  }),
  (io, p) => {
    const each = Array.from({ length: p.waiting }, (_, i) => i),
      where = reg(vec(uint(whereBits), p.waiting), { init: free, name: "model_where" }),
      isIn = (i: number, list: number): Bit => where.at(i).eq(list),
      some = (list: number): Bit => fromBits(each.map(i => isIn(i, list))).any();
    const lowest = firstSet(fromBits(each.map(i => isIn(i, free)))),
      waits = node(some(again), { name: "model_waits" });
    const isAgain = node(io.second.and(waits), { name: "model_again" }),
      parks = node(io.what.eq(1).and(isAgain.or(lowest.any)), { name: "model_parks" }),
      settles = node(io.what.eq(2).and(isAgain), { name: "model_settles" }),
      finishes = node(io.what.eq(3), { name: "model_finishes" });
    const zero = { asid: 0, va: 0, write: 0, strb: 0, data: 0 };
    const lists = waiting(p, {
      park: parks,
      miss: io.miss,
      request: literalOf(Request(p), { id: lowest.index.is(2), ...zero }),
      forLine: constant(1, 1),
      finish: finishes,
      finished: io.miss,
      status: constant(0, 4),
      again: isAgain,
      pop: node(isAgain.and(parks.or(settles))),
      free: settles,
    });
    const head = lists.head.id,
      at = node(mux(isAgain, head, lowest.index.is(2)), { name: "model_at" }),
      list = node(mux(io.miss, constant(listOf(1), whereBits), constant(listOf(0), whereBits)), { name: "model_list" });
    io.turn.set(head.xor(lists.failed.bits(0, 2)).xor(lists.empty.zext(2)));
    for (const i of each) {
      when(parks.and(at.eq(i)), () => where.at(i).set(list));
      when(settles.and(at.eq(i)), () => where.at(i).set(free));
      when(finishes.and(where.at(i).eq(list)), () => where.at(i).set(again));
    }

    // Any two places, the same in all cycles.
    const chosen = reg(bit, { init: 0, name: "model_chosen" }),
      one = reg(uint(2), { name: "model_one" }),
      two = reg(uint(2), { name: "model_two" }),
      leads = reg(bit, { init: 0, name: "model_leads" });
    chosen.set(1);
    when(chosen.not(), () => {
      one.set(io.pair.bits(0, 2));
      two.set(io.pair.bits(2, 2));
    });
    const here = node(where.at(one), { name: "model_where_one" }),
      there = node(where.at(two), { name: "model_where_two" }),
      pair = node(chosen.and(one.ne(two)), { name: "model_pair" });
    leads.set(
      priority(
        [parks.and(at.eq(one)).and(there.eq(list)), constant(0, 1)],
        [parks.and(at.eq(two)).and(here.eq(list)), constant(1, 1)],
        [finishes.and(here.eq(list)).and(there.eq(again)), constant(1, 1)],
        [finishes.and(there.eq(list)).and(here.eq(again)), constant(0, 1)],
        leads,
      ),
    );
    const both = node(pair.and(here.eq(again)).and(there.eq(again)), { name: "model_both" });

    assertAlways(lists.any.eq(waits), "there is something to look up again when the model has something");
    assertAlways(lists.room.eq(lowest.any), "there is room when a place is free: none is lost, none given twice");
    assertAlways(lists.empty.eq(fromBits(each.map(i => isIn(i, free))).all()), "empty is when all places are free");
    assertAlways(
      waits.not().or(where.at(head).eq(again)),
      "whose turn it is has its turn: it waits for nothing, and is not free",
    );
    assertAlways(
      both.and(head.eq(one).and(leads.not()).or(head.eq(two).and(leads))).not(),
      "of two in one list the one that is ahead comes first",
    );
    cover(fromBits(each.map(i => isIn(i, again))).all(), "all places are looked up again");
    cover(
      some(listOf(0))
        .and(some(listOf(1)))
        .and(waits),
      "three lists at once",
    );
    cover(both.and(head.eq(one)), "one of the two has its turn while the other waits");
  },
);

export const legoosProofs: readonly Proof[] = [
  {
    module: "ExCache, its lists of waiting requests",
    harness: harness(small),
    long: "minutes",
    faults: [
      {
        what: "a list that joins is put in front without those behind it",
        from: /if \(joins \| appends\)/,
        to: "if (joins)",
      },
      {
        what: "a list's first is forgotten when a second comes",
        from: "if (~some[0]) heads_0 <= park_at;",
        to: "heads_0 <= park_at;",
      },
      {
        what: "the end of a list that joins is taken for the end of all",
        from: /if \(~again\) again_tail <=/,
        to: "again_tail <=",
      },
      { what: "a place is never given back", from: "taken[0] <= ~model_settles;", to: "taken[0] <= model_settles;" },
    ],
  },
];
