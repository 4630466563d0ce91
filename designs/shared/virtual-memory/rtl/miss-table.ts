import {
  assertAlways, bit, constant, encodeOnehot, fromBits, input, literalOf, module, mux, node, orTree, output, ram, reg, struct, uint, vec,
  when, type Bit, type UInt, firstSet } from "../../../../hdl-dsl/index.ts";
import { Faulted } from "./page-fault.ts";
import { Arriving, geometryOf, Walked, WalkResult, tableName, type WalkParameters } from "./table-walk.ts";

/** What became of a miss. */
export const verdict = {
  /** The page has a frame. */
  mapped: 0,
  /** No entry for the page. */
  invalid: 1,
  /** An entry without a frame, and no waiting request was allowed to make it take one. */
  unmapped: 2,
  outOfMemory: 3,
  /** The memory answered the fetch with an error. */
  error: 4,
} as const;

export interface MissTableParameters extends WalkParameters { readonly slots: number; readonly keyBits: number }

/**
 * The outstanding misses (MSHRs): one for each page that is being fetched, so that two misses to one page make one fetch, one page fault
 * and one TLB entry. The requests that wait for a page hang on its miss as a list of slots, in order of arrival; a list is served when the
 * verdict is in.
 *
 * Two stages, as the TLB's. The key is compared in the cycle of `advance`; `add` (join the page's miss, or open one when there is none) and
 * `poison` belong to the cycle behind it. The compare of that same cycle already sees what is opened, so that a page has one miss at most.
 * A miss lives until its list is empty and its write-back is in memory (so a fresh fetch cannot read the entry from before the fault). It
 * takes no more requests once it is poisoned (a shootdown came) or ended otherwise than mapped (so no verdict outlives its cause).
 *
 * Serving: `next` tells that a list can be served; `take` starts it, and from the next cycle on `served` has one of its requests per cycle,
 * to the last. Which list is next is found out a cycle ahead, and a cycle before the verdict when no other is waiting: `arriving` announces
 * that of a bucket, and a fault takes it back; `quick` tells that a fault of this cycle has its frame in the next. So a list is served 1
 * cycle after `walked` or a `faulted` that was quick, and 2 after another one. While a list is served
 * nothing may be added; while one is next no key may be compared, so that none waits for more lists than there are misses.
 *
 * Full: `room` is 0 and `added.taken` stays 0: the caller parks the request. A miss that ends makes room in the next cycle.
 */
export const MissTable = module("MissTable",
  (p: MissTableParameters) => {
    const miss = uint(Math.log2(p.misses)), slot = uint(Math.log2(p.slots));
    return {
      key: input(uint(p.keyBits)), advance: input(bit),
      /** A miss could be opened. */
      room: output(bit),
      /** A request of the page compared in the cycle before, and the rights that it needs. */
      add: input(struct({ valid: bit, key: uint(p.keyBits), slot, read: bit, write: bit })),
      /** With `add`: whether it hangs on a miss now, and whether a fetch is to be made, for which one. */
      added: output(struct({ taken: bit, fetch: bit, miss })),
      poison: input(bit), poisonLeft: output(bit),
      arriving: input(Arriving(p)), walked: input(Walked(p)), fault: output(struct({ valid: bit, result: WalkResult(p) })),
      faulted: input(Faulted(p)), quick: input(bit), written: input(struct({ valid: bit, miss })),
      next: output(bit), take: input(bit),
      served: output(struct({ valid: bit, slot, last: bit, verdict: uint(3), ppn: uint(geometryOf(p).ppnBits), read: bit, write: bit,
        key: uint(p.keyBits),
        /**
         * The first request of its list: it tells the TLB; and of a page without an entry only it knows that the fetch began after it came.
         */
        first: bit, poisoned: bit })),
    };
  },
  (io, p) => {
    const n = p.misses, miss = uint(Math.log2(n)), slot = uint(Math.log2(p.slots)), none = Array.from({ length: n }, () => 0);
    const ppn = uint(geometryOf(p).ppnBits), flags = { init: none } as const;
    const valid = reg(vec(bit, n), flags), done = reg(vec(bit, n), flags), empty = reg(vec(bit, n), flags),
      writing = reg(vec(bit, n), flags), poisoned = reg(vec(bit, n), flags);
    /** Ended otherwise than mapped; ended by a page fault. */
    const failed = reg(vec(bit, n), flags), by_fault = reg(vec(bit, n), flags);
    /** Requests that the right to read is enough for, that to write, or only both. */
    const wants_read = reg(vec(bit, n), flags), wants_write = reg(vec(bit, n), flags), wants_both = reg(vec(bit, n), flags);
    const keys = reg(vec(uint(p.keyBits), n));
    // What is read by number, one miss at a time, stands in memories.
    const small = { depth: n, collision: "old", style: "distributed" } as const;
    const key_of = ram(uint(p.keyBits), small), heads = ram(slot, small), tails = ram(slot, small);
    const walk_results = ram(struct({ verdict: uint(3), ppn, read: bit, write: bit }), small);
    const fault_results = ram(struct({ outOfMemory: bit, ppn }), small);
    const links = ram(slot, { depth: p.slots, collision: "undefined", style: "distributed" });
    const each = <T>(f: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => f(i));

    const serving = reg(uint(n), { init: 0 });
    const freeing = each(i => node(valid.at(i).and(done.at(i)).and(empty.at(i)).and(writing.at(i).not()), { name: `freeing_${i}` }));

    // ---- The page's own miss, if it has one.
    const found = reg(uint(n), { init: 0 });
    const same = each(i => node(found.bit(i).and((freeing[i] as Bit).not()), { name: `same_${i}` }));
    const joins = each(i => node((same[i] as Bit).and(poisoned.at(i).or(failed.at(i)).not()), { name: `joins_${i}` }));
    const joinable = node(orTree(joins));
    const there = node(orTree(same)), found_miss = node(encodeOnehot(found).is(miss.width));
    /** The miss that is opened next: known ahead. */
    const offer = reg(uint(n), { init: 0 });
    const offer_miss = reg(miss);
    const room = reg(bit, { init: 0 });
    const opens = node(io.add.valid.and(room).and(there.not()));
    const unused = node(fromBits(each(i => valid.at(i).not().or(freeing[i] as Bit).and(offer.bit(i).not()))));
    const unused_first = firstSet(unused);
    when(room.not().or(opens), () => {
      room.set(unused_first.any);
      offer_miss.set(unused_first.index);
      offer.set(fromBits(each(i => (i === 0 ? unused.bit(0) : unused.bit(i).and(unused.bits(0, i).any().not())))));
    });
    io.room.set(room);
    io.added.set({ taken: joinable.or(opens), fetch: opens, miss: offer_miss });
    const again = node(io.add.key.eq(io.key));
    when(io.advance, () => {
      found.set(fromBits(each(i => valid.at(i).and((freeing[i] as Bit).not()).and(keys.at(i).eq(io.key))
        .or(opens.and(offer.bit(i)).and(again)))));
    });

    const joining = node(io.add.valid.and(joinable));
    // An empty list that is joined starts anew: its old tail links to nothing.
    const joins_empty = node(orTree(each(i => (joins[i] as Bit).and(empty.at(i)))));
    // A wire of its own: Yosys makes registers of a memory that is read inside another's address.
    const joined_tail = node(tails.readAsync(found_miss), { name: "joined_tail" });
    links.write(joining.and(joins_empty.not()), joined_tail, io.add.slot);
    const added_miss = node(mux(there, found_miss, offer_miss));
    heads.write(opens.or(joining.and(joins_empty)), added_miss, io.add.slot);
    tails.write(opens.or(joining), added_miss, io.add.slot);
    key_of.write(opens, offer_miss, io.add.key);

    // ---- The verdict: from the bucket, or from the page fault. Whom the fault would help is looked up a cycle ahead; who joins as late as
    // that may have to look again.
    const w = io.walked.result;
    const helps_read = reg(bit), helps_write = reg(bit), helps_both = reg(bit);
    helps_read.set(wants_read.at(io.arriving.miss));
    helps_write.set(wants_write.at(io.arriving.miss));
    helps_both.set(wants_both.at(io.arriving.miss));
    const allowed = node(helps_write.and(w.write).or(helps_read.and(w.read)).or(helps_both.and(w.write).and(w.read)));
    const faults = node(w.error.not().and(w.allocated).and(w.mapped.not()).and(allowed));
    const fault_now = node(io.walked.valid.and(faults));
    io.fault.set({ valid: fault_now, result: w });
    const walk_verdict = node(mux(w.error, uint3(verdict.error),
      mux(w.allocated.not(), uint3(verdict.invalid), mux(w.mapped, uint3(verdict.mapped), uint3(verdict.unmapped)))));
    walk_results.write(io.walked.valid, w.miss, { verdict: walk_verdict, ppn: w.ppn, read: w.read, write: w.write });
    fault_results.write(io.faulted.valid, io.faulted.miss, { outOfMemory: io.faulted.outOfMemory, ppn: io.faulted.ppn });

    // ---- The list that is served next: of those that wait the lowest one; else of a page that has its frame now, or of a bucket
    // that is arriving.
    const picked = reg(uint(n), { init: 0 });
    const picked_miss = reg(miss);
    const picked_valid = reg(bit, { init: 0 });
    /** Its verdict comes in this very cycle. */
    const picked_early = reg(bit, { init: 0 });
    const taken_back = node(picked_early.and(fault_now));
    /** Its frame comes in this very cycle. */
    const picked_quick = reg(bit, { init: 0 });
    const next = node(picked_valid.and(taken_back.not()));
    io.next.set(next);
    const waits = node(fromBits(each(i => done.at(i).and(empty.at(i).not()).and(serving.bit(i).not()).and(picked.bit(i).not()))));
    const waits_first = firstSet(waits);
    const any = waits_first.any;
    const slow_fault = node(io.faulted.valid.and(picked_quick.not()));
    const quick_fault = node(fault_now.and(io.quick));
    const settling = node(mux(slow_fault, io.faulted.miss, mux(quick_fault, w.miss, io.arriving.miss)));
    const zero: Bit = constant(0, 1);
    const before = each(i => (i === 0 ? zero : waits.bits(0, i).any()));
    when(picked_valid.not().or(io.take).or(taken_back), () => {
      picked_valid.set(any.or(slow_fault).or(quick_fault).or(io.arriving.valid));
      picked_early.set(any.or(slow_fault).or(quick_fault).not());
      picked_quick.set(any.or(slow_fault).not().and(quick_fault));
      picked_miss.set(mux(any, waits_first.index.is(miss.width), settling));
      picked.set(fromBits(each(i => mux(any, waits.bit(i).and((before[i] as Bit).not()),
        slow_fault.or(quick_fault).or(io.arriving.valid).and(settling.eq(i))))));
    }).otherwise(() => { picked_early.set(0); picked_quick.set(0); });
    assertAlways(picked_quick.not().or(io.faulted.valid.and(io.faulted.miss.eq(picked_miss)).and(io.faulted.outOfMemory.not())),
      "a fault that was told to be quick is");

    // ---- The list being served: its first request from the head, the others along the links.
    const Result = struct({ verdict: uint(3), ppn, read: bit, write: bit });
    const served_valid = reg(bit, { init: 0 });
    const served_slot = reg(slot), served_last = reg(bit), served_first = reg(bit), served_miss = reg(miss);
    const served_key = reg(uint(p.keyBits)), served = reg(Result);
    const goes_on = node(served_valid.and(served_last.not()));
    const following = node(mux(goes_on, links.readAsync(served_slot), heads.readAsync(picked_miss)));
    const tail = tails.readAsync(mux(goes_on, served_miss, picked_miss));
    const joined_picked = node(io.add.valid.and(orTree(each(i => (joins[i] as Bit).and(picked.bit(i))))));
    const walk_result = walk_results.readAsync(picked_miss), fault_result = fault_results.readAsync(picked_miss);
    const faulted_picked = node(by_fault.at(picked_miss));
    served_valid.set(goes_on.or(io.take));
    serving.set(mux(goes_on, serving, mux(io.take, picked, 0)));
    served_slot.set(following);
    served_last.set(following.eq(tail).and(goes_on.or(joined_picked.not())));
    served_first.set(goes_on.not());
    when(goes_on.not(), () => {
      served_miss.set(picked_miss);
      served_key.set(key_of.readAsync(picked_miss));
      const fault_verdict = mux(fault_result.outOfMemory, uint3(verdict.outOfMemory), uint3(verdict.mapped));
      const early = literalOf(Result, { verdict: walk_verdict, ppn: w.ppn, read: w.read, write: w.write });
      served.set(mux(picked_early, early, literalOf(Result, {
        verdict: mux(picked_quick, uint3(verdict.mapped), mux(faulted_picked, fault_verdict, walk_result.verdict)),
        ppn: mux(picked_quick, io.faulted.ppn, mux(faulted_picked, fault_result.ppn, walk_result.ppn)),
        read: walk_result.read, write: walk_result.write,
      })));
    });
    io.served.set({ valid: served_valid, slot: served_slot, last: served_last, verdict: served.verdict, ppn: served.ppn, read: served.read,
      write: served.write, key: served_key, first: served_first, poisoned: poisoned.at(served_miss) });

    // ---- Each miss's own state.
    for (let i = 0; i < n; i++) {
      const walked_here = node(io.walked.valid.and(w.miss.eq(i)).and(faults.not()), { name: `walked_${i}` });
      const faulted_here = node(io.faulted.valid.and(io.faulted.miss.eq(i)), { name: `faulted_${i}` });
      const opened_here = node(opens.and(offer.bit(i)), { name: `opens_${i}` });
      const joined_here = node(io.add.valid.and(joins[i] as Bit), { name: `joined_${i}` });

      when(walked_here, () => { done.at(i).set(1); failed.at(i).set(walk_verdict.ne(verdict.mapped)); });
      when(faulted_here, () => {
        done.at(i).set(1); by_fault.at(i).set(1);
        failed.at(i).set(io.faulted.outOfMemory);
        writing.at(i).set(io.faulted.outOfMemory.not());
      });
      when(io.written.valid.and(io.written.miss.eq(i)), () => { writing.at(i).set(0); });
      when(io.poison.and(same[i] as Bit), () => { poisoned.at(i).set(1); });
      when(freeing[i] as Bit, () => { valid.at(i).set(0); });
      when(served_valid.and(served_last).and(serving.bit(i)), () => { empty.at(i).set(1); });
      when(joined_here, () => {
        empty.at(i).set(0);
        when(io.add.write.and(io.add.read), () => { wants_both.at(i).set(1); })
          .elseWhen(io.add.write, () => { wants_write.at(i).set(1); }).otherwise(() => { wants_read.at(i).set(1); });
      });
      when(opened_here, () => {
        valid.at(i).set(1); done.at(i).set(0); empty.at(i).set(0); writing.at(i).set(0); poisoned.at(i).set(0); failed.at(i).set(0);
        by_fault.at(i).set(0);
        keys.at(i).set(io.add.key);
        wants_both.at(i).set(io.add.write.and(io.add.read));
        wants_write.at(i).set(io.add.write.and(io.add.read.not()));
        wants_read.at(i).set(io.add.write.not());
      });
    }
    io.poisonLeft.set(orTree(each(i => valid.at(i).and(poisoned.at(i)))));

    const matching = fromBits(same);
    assertAlways(matching.and(matching.sub(1)).any().not(), "a page has one miss at most");
    assertAlways(io.add.valid.and(served_valid).not(), "nothing is added while a list is served");
    assertAlways(io.advance.and(next).not(), "no key is compared while a list is next");
    assertAlways(io.take.and(next.not().or(goes_on)).not(), "a list is taken when there is one, and when the last one ends");
  },
  { nameOf: p => `MissTable_m${p.misses}_n${p.slots}_k${p.keyBits}_b${p.beatBytes}_${tableName(p)}` });
const uint3 = (v: number): UInt<3> => constant(v, 3);
