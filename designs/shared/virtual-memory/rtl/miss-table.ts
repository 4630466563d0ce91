import {
  assertAlways,
  atMostOne,
  type Bit,
  bit,
  constant,
  encodeOnehot,
  firstSet,
  fromBits,
  input,
  literalOf,
  lowestBits,
  lowestFlat,
  module,
  mux,
  node,
  orTree,
  output,
  priority,
  ram,
  reg,
  struct,
  type UInt,
  uint,
  vec,
  when,
} from "../../../../hdl-dsl/index.ts";
import { Faulted } from "./page-fault.ts";
import { Arriving, geometryOf, tableName, Walked, type WalkParameters, WalkResult } from "./table-walk.ts";

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

export interface MissTableParameters extends WalkParameters {
  readonly slots: number;
  readonly keyBits: number;
}

/** A request of the list that is served, one each cycle. */
export const Served = (p: MissTableParameters) =>
  struct({
    valid: bit,
    slot: uint(Math.log2(p.slots)),
    last: bit,
    verdict: uint(3),
    ppn: uint(geometryOf(p).ppnBits),
    read: bit,
    write: bit,
    key: uint(p.keyBits),
    /**
     * The first request of its list: it tells the TLB; and of a page without an entry only it knows that the
     * fetch began after it came.
     */
    first: bit,
    poisoned: bit,
  });

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
  (p: MissTableParameters) => {
    const miss = uint(Math.log2(p.misses)),
      slot = uint(Math.log2(p.slots));
    return {
      key: input(uint(p.keyBits)),
      advance: input(bit),
      /** A miss could be opened. */
      room: output(bit),
      /** A request of the page compared in the cycle before, and the rights that it needs. */
      add: input(struct({ valid: bit, key: uint(p.keyBits), slot, read: bit, write: bit })),
      /** With `add`: whether it hangs on a miss now, and whether a fetch is to be made, for which one. */
      added: output(struct({ taken: bit, fetch: bit, miss })),
      poison: input(bit),
      poisonLeft: output(bit),
      arriving: input(Arriving(p)),
      walked: input(Walked(p)),
      fault: output(struct({ valid: bit, result: WalkResult(p) })),
      faulted: input(Faulted(p)),
      quick: input(bit),
      written: input(struct({ valid: bit, miss })),
      next: output(bit),
      take: input(bit),
      served: output(Served(p)),
    };
  },
  (io, p) => {
    const n = p.misses,
      miss = uint(Math.log2(n)),
      slot = uint(Math.log2(p.slots)),
      none = Array.from({ length: n }, () => 0);
    const ppn = uint(geometryOf(p).ppnBits),
      flags = { init: none } as const;
    const valid = reg(vec(bit, n), flags),
      done = reg(vec(bit, n), flags),
      empty = reg(vec(bit, n), flags),
      writing = reg(vec(bit, n), flags),
      poisoned = reg(vec(bit, n), flags);
    /** Ended otherwise than mapped; ended by a page fault. */
    const failed = reg(vec(bit, n), flags),
      byFault = reg(vec(bit, n), flags);
    /** Requests that the right to read is enough for, that to write, or only both. */
    const wantsRead = reg(vec(bit, n), flags),
      wantsWrite = reg(vec(bit, n), flags),
      wantsBoth = reg(vec(bit, n), flags);
    const keys = reg(vec(uint(p.keyBits), n));
    // What is read by number, one miss at a time, stands in memories.
    const small = { depth: n, collision: "old", style: "distributed" } as const;
    const keyOf = ram(uint(p.keyBits), small),
      heads = ram(slot, small),
      tails = ram(slot, small);
    const walkResults = ram(struct({ verdict: uint(3), ppn, read: bit, write: bit }), small);
    const faultResults = ram(struct({ outOfMemory: bit, ppn }), small);
    const links = ram(slot, { depth: p.slots, collision: "undefined", style: "distributed" });
    const each = <T>(f: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => f(i));

    const serving = reg(uint(n), { init: 0 });
    const freeing = each(i =>
      node(valid.at(i).and(done.at(i)).and(empty.at(i)).and(writing.at(i).not()), { name: `freeing_${i}` }),
    );

    // ---- The page's own miss, if it has one.
    const found = reg(uint(n), { init: 0 });
    const same = each(i => node(found.bit(i).and((freeing[i] as Bit).not()), { name: `same_${i}` }));
    const joins = each(i => node((same[i] as Bit).and(poisoned.at(i).or(failed.at(i)).not()), { name: `joins_${i}` }));
    const joinable = node(orTree(joins));
    const there = node(orTree(same)),
      foundMiss = node(encodeOnehot(found).is(miss.width));
    /** The miss that is opened next: known ahead. */
    const offer = reg(uint(n), { init: 0 });
    const offerMiss = reg(miss);
    const room = reg(bit, { init: 0 });
    const opens = node(io.add.valid.and(room).and(there.not()));
    const unused = node(
      fromBits(
        each(i =>
          valid
            .at(i)
            .not()
            .or(freeing[i] as Bit)
            .and(offer.bit(i).not()),
        ),
      ),
    );
    const unusedFirst = firstSet(unused);
    when(room.not().or(opens), () => {
      room.set(unusedFirst.any);
      offerMiss.set(unusedFirst.index);
      offer.set(lowestFlat(unused));
    });
    io.room.set(room);
    io.added.set({ taken: joinable.or(opens), fetch: opens, miss: offerMiss });
    const again = node(io.add.key.eq(io.key));
    when(io.advance, () => {
      found.set(
        fromBits(
          each(i =>
            valid
              .at(i)
              .and((freeing[i] as Bit).not())
              .and(keys.at(i).eq(io.key))
              .or(opens.and(offer.bit(i)).and(again)),
          ),
        ),
      );
    });

    const joining = node(io.add.valid.and(joinable));
    // An empty list that is joined starts anew: its old tail links to nothing.
    const joinsEmpty = node(orTree(each(i => (joins[i] as Bit).and(empty.at(i)))));
    // A wire of its own: Yosys makes registers of a memory that is read inside another's address.
    const joinedTail = node(tails.readAsync(foundMiss), { name: "joined_tail" });
    links.write(joining.and(joinsEmpty.not()), joinedTail, io.add.slot);
    const addedMiss = node(mux(there, foundMiss, offerMiss));
    heads.write(opens.or(joining.and(joinsEmpty)), addedMiss, io.add.slot);
    tails.write(opens.or(joining), addedMiss, io.add.slot);
    keyOf.write(opens, offerMiss, io.add.key);

    // ---- The verdict: from the bucket, or from the page fault. Whom the fault would help is looked up a cycle ahead;
    // who joins as late as that may have to look again.
    const w = io.walked.result;
    const helpsRead = reg(bit),
      helpsWrite = reg(bit),
      helpsBoth = reg(bit);
    helpsRead.set(wantsRead.at(io.arriving.miss));
    helpsWrite.set(wantsWrite.at(io.arriving.miss));
    helpsBoth.set(wantsBoth.at(io.arriving.miss));
    const allowed = node(helpsWrite.and(w.write).or(helpsRead.and(w.read)).or(helpsBoth.and(w.write).and(w.read)));
    const faults = node(w.error.not().and(w.allocated).and(w.mapped.not()).and(allowed));
    const faultNow = node(io.walked.valid.and(faults));
    io.fault.set({ valid: faultNow, result: w });
    const walkVerdict = node(
      priority(
        [w.error, verdict.error],
        [w.allocated.not(), verdict.invalid],
        [w.mapped, verdict.mapped],
        uint3(verdict.unmapped),
      ),
    );
    walkResults.write(io.walked.valid, w.miss, { verdict: walkVerdict, ppn: w.ppn, read: w.read, write: w.write });
    faultResults.write(io.faulted.valid, io.faulted.miss, { outOfMemory: io.faulted.outOfMemory, ppn: io.faulted.ppn });

    // ---- The list that is served next: of those that wait the lowest one; else of a page that has its frame now, or
    // of a bucket that is arriving.
    const picked = reg(uint(n), { init: 0 });
    const pickedMiss = reg(miss);
    const pickedValid = reg(bit, { init: 0 });
    /** Its verdict comes in this very cycle. */
    const pickedEarly = reg(bit, { init: 0 });
    const takenBack = node(pickedEarly.and(faultNow));
    /** Its frame comes in this very cycle. */
    const pickedQuick = reg(bit, { init: 0 });
    const next = node(pickedValid.and(takenBack.not()));
    io.next.set(next);
    const waits = node(
      fromBits(each(i => done.at(i).and(empty.at(i).not()).and(serving.bit(i).not()).and(picked.bit(i).not()))),
    );
    const waitsFirst = firstSet(waits);
    const any = waitsFirst.any;
    const slowFault = node(io.faulted.valid.and(pickedQuick.not()));
    const quickFault = node(faultNow.and(io.quick));
    const settling = node(mux(slowFault, io.faulted.miss, mux(quickFault, w.miss, io.arriving.miss)));
    const waitsLowest = lowestBits(waits);
    when(pickedValid.not().or(io.take).or(takenBack), () => {
      pickedValid.set(any.or(slowFault).or(quickFault).or(io.arriving.valid));
      pickedEarly.set(any.or(slowFault).or(quickFault).not());
      pickedQuick.set(any.or(slowFault).not().and(quickFault));
      pickedMiss.set(mux(any, waitsFirst.index.is(miss.width), settling));
      picked.set(
        fromBits(
          each(i =>
            mux(any, waitsLowest[i] as Bit, slowFault.or(quickFault).or(io.arriving.valid).and(settling.eq(i))),
          ),
        ),
      );
    }).otherwise(() => {
      pickedEarly.set(0);
      pickedQuick.set(0);
    });
    assertAlways(
      pickedQuick.not().or(io.faulted.valid.and(io.faulted.miss.eq(pickedMiss)).and(io.faulted.outOfMemory.not())),
      "a fault that was told to be quick is",
    );

    // ---- The list being served: its first request from the head, the others along the links.
    const Result = struct({ verdict: uint(3), ppn, read: bit, write: bit });
    const servedValid = reg(bit, { init: 0 });
    const servedSlot = reg(slot),
      servedLast = reg(bit),
      servedFirst = reg(bit),
      servedMiss = reg(miss);
    const servedKey = reg(uint(p.keyBits)),
      served = reg(Result);
    const goesOn = node(servedValid.and(servedLast.not()));
    const following = node(mux(goesOn, links.readAsync(servedSlot), heads.readAsync(pickedMiss)));
    const tail = tails.readAsync(mux(goesOn, servedMiss, pickedMiss));
    const joinedPicked = node(io.add.valid.and(orTree(each(i => (joins[i] as Bit).and(picked.bit(i))))));
    const walkResult = walkResults.readAsync(pickedMiss),
      faultResult = faultResults.readAsync(pickedMiss);
    const faultedPicked = node(byFault.at(pickedMiss));
    servedValid.set(goesOn.or(io.take));
    serving.set(mux(goesOn, serving, mux(io.take, picked, 0)));
    servedSlot.set(following);
    servedLast.set(following.eq(tail).and(goesOn.or(joinedPicked.not())));
    servedFirst.set(goesOn.not());
    when(goesOn.not(), () => {
      servedMiss.set(pickedMiss);
      servedKey.set(keyOf.readAsync(pickedMiss));
      const faultVerdict = mux(faultResult.outOfMemory, uint3(verdict.outOfMemory), uint3(verdict.mapped));
      const early = literalOf(Result, { verdict: walkVerdict, ppn: w.ppn, read: w.read, write: w.write });
      const late = literalOf(Result, {
        verdict: priority([pickedQuick, verdict.mapped], [faultedPicked, faultVerdict], walkResult.verdict),
        ppn: priority([pickedQuick, io.faulted.ppn], [faultedPicked, faultResult.ppn], walkResult.ppn),
        read: walkResult.read,
        write: walkResult.write,
      });
      served.set(mux(pickedEarly, early, late));
    });
    io.served.set({
      valid: servedValid,
      slot: servedSlot,
      last: servedLast,
      verdict: served.verdict,
      ppn: served.ppn,
      read: served.read,
      write: served.write,
      key: servedKey,
      first: servedFirst,
      poisoned: poisoned.at(servedMiss),
    });

    // ---- Each miss's own state.
    for (let i = 0; i < n; i++) {
      const walkedHere = node(io.walked.valid.and(w.miss.eq(i)).and(faults.not()), { name: `walked_${i}` });
      const faultedHere = node(io.faulted.valid.and(io.faulted.miss.eq(i)), { name: `faulted_${i}` });
      const openedHere = node(opens.and(offer.bit(i)), { name: `opens_${i}` });
      const joinedHere = node(io.add.valid.and(joins[i] as Bit), { name: `joined_${i}` });

      when(walkedHere, () => {
        done.at(i).set(1);
        failed.at(i).set(walkVerdict.ne(verdict.mapped));
      });
      when(faultedHere, () => {
        done.at(i).set(1);
        byFault.at(i).set(1);
        failed.at(i).set(io.faulted.outOfMemory);
        writing.at(i).set(io.faulted.outOfMemory.not());
      });
      when(io.written.valid.and(io.written.miss.eq(i)), () => writing.at(i).set(0));
      when(io.poison.and(same[i] as Bit), () => poisoned.at(i).set(1));
      when(freeing[i] as Bit, () => valid.at(i).set(0));
      when(servedValid.and(servedLast).and(serving.bit(i)), () => empty.at(i).set(1));
      when(joinedHere, () => {
        empty.at(i).set(0);
        when(io.add.write.and(io.add.read), () => wantsBoth.at(i).set(1))
          .elseWhen(io.add.write, () => wantsWrite.at(i).set(1))
          .otherwise(() => wantsRead.at(i).set(1));
      });
      when(openedHere, () => {
        valid.at(i).set(1);
        done.at(i).set(0);
        empty.at(i).set(0);
        writing.at(i).set(0);
        poisoned.at(i).set(0);
        failed.at(i).set(0);
        byFault.at(i).set(0);
        keys.at(i).set(io.add.key);
        wantsBoth.at(i).set(io.add.write.and(io.add.read));
        wantsWrite.at(i).set(io.add.write.and(io.add.read.not()));
        wantsRead.at(i).set(io.add.write.not());
      });
    }
    io.poisonLeft.set(orTree(each(i => valid.at(i).and(poisoned.at(i)))));

    const matching = fromBits(same);
    assertAlways(atMostOne(matching), "a page has one miss at most");
    assertAlways(io.add.valid.and(servedValid).not(), "nothing is added while a list is served");
    assertAlways(io.advance.and(next).not(), "no key is compared while a list is next");
    assertAlways(
      io.take.and(next.not().or(goesOn)).not(),
      "a list is taken when there is one, and when the last one ends",
    );
  },
  { nameOf: p => `MissTable_m${p.misses}_n${p.slots}_k${p.keyBits}_b${p.beatBytes}_${tableName(p)}` },
);
const uint3 = (v: number): UInt<3> => constant(v, 3);
