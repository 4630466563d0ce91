import {
  assertAlways, bit, constant, encodeOnehot, fromBits, input, lowestSet, module, mux, node, onehotMux, orTree, output, ram, reg, struct,
  uint, vec, when, type Bit, type UInt,
} from "../../../hdl-dsl/index.ts";
import { Faulted } from "./page_fault.ts";
import { geometryOf, Walked, WalkResult, tableName, type WalkParameters } from "./table_walk.ts";

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
 * One operation per cycle on the page `key`: `add` (join the page's miss, or open one when there is none), or serving one request of
 * `serve.miss`. A miss lives until its list is empty and its write-back is in memory (so a fresh fetch cannot read the entry from before
 * the fault). It takes no more requests once it is poisoned (a shootdown came) or ended otherwise than mapped (so no verdict outlives its
 * cause).
 *
 * Full: `find.room` is 0; the caller parks the request. All outputs combinational from registers; updates take one cycle.
 */
export const MissTable = module("MissTable",
  (p: MissTableParameters) => {
    const miss = uint(Math.log2(p.misses)), slot = uint(Math.log2(p.slots));
    return {
      key: input(uint(p.keyBits)),
      /** `joinable`: the page has a miss that takes requests. `room`: a new one could be opened. `blocked`: it has one that takes none. */
      find: output(struct({ joinable: bit, blocked: bit, room: bit })),
      add: input(struct({ valid: bit, slot, write: bit })),
      /** With `add`: the miss that was opened or joined, and whether a fetch is to be made. */
      added: output(struct({ fetch: bit, miss })),
      poison: input(bit), poisonLeft: output(bit),
      walked: input(Walked(p)), fault: output(struct({ valid: bit, result: WalkResult(p) })), faulted: input(Faulted(p)),
        written: input(struct({ valid: bit, miss })),
      /** A miss with a verdict and requests to serve (round-robin). */
      next: output(struct({ valid: bit, miss })),
      serve: input(struct({ valid: bit, miss })),
      served: output(struct({ slot, last: bit, verdict: uint(3), ppn: uint(geometryOf(p).ppnBits), read: bit, write: bit,
        key: uint(p.keyBits),
        /**
         * The first request of its list: it tells the TLB; and of a page without an entry only it knows that the fetch began after it came.
         */
        first: bit, poisoned: bit })),
    };
  },
  (io, p) => {
    const n = p.misses, miss = uint(Math.log2(n)), slot = uint(Math.log2(p.slots)), none = Array.from({ length: n }, () => 0);
    const Result = struct({ verdict: uint(3), ppn: uint(geometryOf(p).ppnBits), read: bit, write: bit });
    const flags = { init: none } as const;
    const valid = reg(vec(bit, n), flags), done = reg(vec(bit, n), flags), empty = reg(vec(bit, n), flags),
      writing = reg(vec(bit, n), flags), poisoned = reg(vec(bit, n), flags);
    /** Nothing of the list has been served. */
    const first = reg(vec(bit, n), flags);
    const wants_read = reg(vec(bit, n), flags), wants_write = reg(vec(bit, n), flags);
    const keys = reg(vec(uint(p.keyBits), n)), heads = reg(vec(slot, n)), tails = reg(vec(slot, n)), results = reg(vec(Result, n));
    const links = ram(slot, { depth: p.slots, collision: "undefined", style: "distributed" });
    const each = <T>(f: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => f(i));

    const serving = each(i => node(io.serve.valid.and(io.serve.miss.eq(i)), { name: `serving_${i}` }));
    const freeing = each(i => node(valid.at(i).and(done.at(i)).and(empty.at(i)).and(writing.at(i).not()).and((serving[i] as Bit).not()),
      { name: `freeing_${i}` }));

    // The page's own miss, if it has one.
    const same = each(i => node(valid.at(i).and((freeing[i] as Bit).not()).and(keys.at(i).eq(io.key)), { name: `same_${i}` }));
    const closed = each(i => poisoned.at(i).or(done.at(i).and(results.at(i).verdict.ne(verdict.mapped))));
    const joins = each(i => (same[i] as Bit).and((closed[i] as Bit).not()));
    const joinable = node(orTree(joins));
    const blocked = node(orTree(each(i => (same[i] as Bit).and(closed[i] as Bit))));
    const unused = node(fromBits(each(i => valid.at(i).not())));
    const opened = node(lowestSet(unused));
    io.find.set({ joinable, blocked, room: unused.any() });
    const opens = node(io.add.valid.and(joinable.not()));
    const chosen = encodeOnehot(mux(joinable, fromBits(joins), opened)).is(miss.width);
    io.added.set({ fetch: opens, miss: chosen });

    const joining = node(io.add.valid.and(joinable));
    const tail = onehotMux(joins, tails.toArray());
    // An empty list that is joined starts anew: its old tail links to nothing.
    const joins_empty = node(orTree(each(i => (joins[i] as Bit).and(empty.at(i)))));
    links.write(joining.and(joins_empty.not()), tail, io.add.slot);

    // The verdict: from the bucket, or from the page fault.
    const w = io.walked.result;
    const allowed = wants_write.at(w.miss).and(w.write).or(wants_read.at(w.miss).and(w.read));
    const faults = node(w.error.not().and(w.allocated).and(w.mapped.not()).and(allowed));
    io.fault.set({ valid: io.walked.valid.and(faults), result: w });
    const walk_verdict = mux(w.error, uint3(verdict.error),
      mux(w.allocated.not(), uint3(verdict.invalid), mux(w.mapped, uint3(verdict.mapped), uint3(verdict.unmapped))));

    const serve_miss = io.serve.miss;
    const head = heads.at(serve_miss), result = results.at(serve_miss);
    const last = node(head.eq(tails.at(serve_miss)));
    io.served.set({ slot: head, last, verdict: result.verdict, ppn: result.ppn, read: result.read, write: result.write,
      key: keys.at(serve_miss), first: first.at(serve_miss), poisoned: poisoned.at(serve_miss) });
    const following = links.readAsync(head);

    const settled: Bit[] = [];
    for (let i = 0; i < n; i++) {
      const walked_here = node(io.walked.valid.and(w.miss.eq(i)).and(faults.not()), { name: `walked_${i}` });
      const faulted_here = node(io.faulted.valid.and(io.faulted.miss.eq(i)), { name: `faulted_${i}` });
      const opened_here = node(opens.and(opened.bit(i)), { name: `opens_${i}` });
      const joined_here = node(joining.and(joins[i] as Bit), { name: `joined_${i}` });
      const served_here = serving[i] as Bit;
      settled.push(done.at(i).or(walked_here).or(faulted_here));

      when(walked_here, () => { done.at(i).set(1);
        results.at(i).set({ verdict: walk_verdict, ppn: w.ppn, read: w.read, write: w.write }); });
      when(io.walked.valid.and(w.miss.eq(i)), () => { results.at(i).read.set(w.read); results.at(i).write.set(w.write); });
      when(faulted_here, () => {
        done.at(i).set(1);
        results.at(i).verdict.set(mux(io.faulted.outOfMemory, uint3(verdict.outOfMemory), uint3(verdict.mapped)));
        results.at(i).ppn.set(io.faulted.ppn);
        writing.at(i).set(io.faulted.outOfMemory.not());
      });
      when(io.written.valid.and(io.written.miss.eq(i)), () => { writing.at(i).set(0); });
      when(io.poison.and(same[i] as Bit), () => { poisoned.at(i).set(1); });
      when(freeing[i] as Bit, () => { valid.at(i).set(0); });
      when(served_here, () => {
        first.at(i).set(0);
        heads.at(i).set(following);
        when(last, () => { empty.at(i).set(1); });
      });
      when(joined_here, () => {
        tails.at(i).set(io.add.slot);
        first.at(i).set(1);
        when(empty.at(i), () => { heads.at(i).set(io.add.slot); empty.at(i).set(0); });
        when(io.add.write, () => { wants_write.at(i).set(1); }).otherwise(() => { wants_read.at(i).set(1); });
      });
      when(opened_here, () => {
        valid.at(i).set(1); done.at(i).set(0); empty.at(i).set(0); writing.at(i).set(0); poisoned.at(i).set(0); first.at(i).set(1);
        keys.at(i).set(io.key); heads.at(i).set(io.add.slot); tails.at(i).set(io.add.slot);
        wants_write.at(i).set(io.add.write); wants_read.at(i).set(io.add.write.not());
      });
    }
    io.poisonLeft.set(orTree(each(i => valid.at(i).and(poisoned.at(i)))));

    // The next miss to serve: after the one served last, so that none waits for ever.
    const ready = node(fromBits(each(i => valid.at(i).and(settled[i] as Bit).and(empty.at(i).not()).and((serving[i] as Bit).not()))));
    const recent = reg(uint(n), { init: 1 });
    const after = node(ready.and(recent.or(recent.sub(1)).not()));
    const choice = node(mux(after.any(), lowestSet(after), lowestSet(ready)));
    io.next.set({ valid: ready.any(), miss: encodeOnehot(choice).is(miss.width) });
    when(io.serve.valid, () => { recent.set(fromBits(serving)); });

    const matching = fromBits(same);
    assertAlways(matching.and(matching.sub(1)).any().not(), "a page has one miss at most");
    assertAlways(io.add.valid.and(blocked).not(), "a miss that takes no requests is not joined");
    assertAlways(io.add.valid.and(joinable.not()).and(unused.any().not()).not(), "a miss is opened only where there is room");
  },
  { nameOf: p => `MissTable_m${p.misses}_n${p.slots}_k${p.keyBits}_b${p.beatBytes}_${tableName(p)}` });
const uint3 = (v: number): UInt<3> => constant(v, 3);
