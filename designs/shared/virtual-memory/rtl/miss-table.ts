import { assertAlways, atMostOne, fromBits, module, orTree } from "../../../../hdl-dsl/index.ts";
import { conclude } from "./miss-table/conclude.ts";
import { compare, hang, offerMiss, ownMiss } from "./miss-table/find.ts";
import { pick } from "./miss-table/pick.ts";
import { missTablePorts } from "./miss-table/ports.ts";
import { serve, servingOf } from "./miss-table/serve.ts";
import { freeingOf, memoriesOf, stateOf } from "./miss-table/state.ts";
import { update } from "./miss-table/update.ts";
import { tableName } from "./table-walk.ts";

export { type MissTableParameters, Served, Verdict } from "./miss-table/records.ts";

/**
 * The outstanding misses (MSHRs): one for each page that is being fetched, so that two misses to one page make one
 * fetch, one page fault and one TLB entry. The requests that wait for a page hang on its miss as a list of slots, in
 * order of arrival; a list is served when the verdict is in.
 *
 * Two stages, as the TLB's. The key is compared in the cycle of `advance`; `add` (join the page's miss, or open one
 * when there is none) and `poison` belong to the cycle behind it. The compare of that same cycle already sees what is
 * opened, so that a page has one miss at most. A miss lives until its list is empty and its write-back is in memory (so
 * a fresh fetch cannot read the entry from before the fault). It takes no more requests once it is poisoned (a
 * shootdown came) or ended otherwise than mapped (so no verdict outlives its cause).
 *
 * Serving: `next` tells that a list can be served; `take` starts it, and from the next cycle on `served` has one of its
 * requests per cycle, to the last. Which list is next is found out a cycle ahead, and a cycle before the verdict when
 * no other is waiting: `arriving` announces that of a bucket, and a fault takes it back; `quick` tells that a fault of
 * this cycle has its frame in the next. So a list is served 1 cycle after `walked` or a `faulted` that was quick, and 2
 * after another one. While a list is served nothing may be added; while one is next no key may be compared, so that
 * none waits for more lists than there are misses.
 *
 * Full: `room` is 0 and `added.taken` stays 0: the caller parks the request. A miss that ends makes room in
 * the next cycle.
 */
export const MissTable = module(
  "MissTable",
  missTablePorts,
  (io, p) => {
    const state = stateOf(p),
      memories = memoriesOf(p),
      serving = servingOf(p);
    const freeing = freeingOf(state);

    // The page's own miss, if it has one; else one is opened. The request joins its list.
    const own = ownMiss(p, state, freeing);
    const offer = offerMiss(p, io, state.valid, freeing, own.there);
    io.added.set({ taken: own.joinable.or(offer.opens), fetch: offer.opens, miss: offer.miss });
    compare(io, state, freeing, own, offer);
    hang(io, memories, state.empty, own, offer);

    // A bucket or a frame arrives: the verdict. Then the list is served.
    const concluded = conclude(io, state, memories);
    const picked = pick(p, io, state, { serving: serving.serving, faultNow: concluded.faultNow });
    serve(p, io, serving, { state, memories, own, concluded, picked });

    // Each miss's own state.
    update(io, state, freeing, { own, offer, concluded, serving });
    const stale = state.valid.toArray().map((v, i) => v.and(state.poisoned.at(i)));
    io.poisonLeft.set(orTree(stale));

    const matching = fromBits(own.same);
    assertAlways(atMostOne(matching), "a page has one miss at most");
    assertAlways(io.add.valid.and(serving.valid).not(), "nothing is added while a list is served");
    assertAlways(io.advance.and(picked.next).not(), "no key is compared while a list is next");
    const early = picked.next.not().or(serving.goesOn);
    assertAlways(io.take.and(early).not(), "a list is taken when there is one, and when the last one ends");
  },
  { nameOf: p => `MissTable_m${p.misses}_n${p.slots}_k${p.keyBits}_b${p.beatBytes}_${tableName(p)}` },
);
