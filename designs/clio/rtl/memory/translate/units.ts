/** The translation's units, wired to one another: TLB, miss table, walk of the table in memory, page faults. */
import { type Bit, connect, type InstanceOf, node, type UInt, type Var } from "../../../../../hdl-dsl/index.ts";
import {
  type MissTable,
  type PageFault,
  type TableWalk,
  type Tlb,
  Verdict,
} from "../../../../shared/virtual-memory/rtl/index.ts";
import { tableOf } from "../../../config/index.ts";
import type { Judged, Judgement } from "./judge.ts";
import type { Looked } from "./lookup.ts";
import type { TranslateIo } from "./ports.ts";
import type { TranslateEvents, TranslateParameters } from "./records.ts";

type Misses = InstanceOf<typeof MissTable>;
type Walk = InstanceOf<typeof TableWalk>;
type Faults = InstanceOf<typeof PageFault>;
type Buffer = InstanceOf<typeof Tlb>;

/** The key of stage 1 is compared as it moves on. */
export function compare(unit: Pick<Buffer | Misses, "key" | "advance">, key: UInt, moves: Bit): void {
  unit.key.set(key);
  unit.advance.set(moves);
}

/** The TLB is filled when the first request of a miss is served. */
export function learn(tlb: Buffer, { served, looked }: Judged, hit: Bit): void {
  const isFirst = node(served.valid.and(served.first).and(served.verdict.eq(Verdict.mapped)));
  tlb.fill.set({
    valid: isFirst.and(served.poisoned.not()),
    key: served.key,
    mapping: { ppn: served.ppn, write: served.write, read: served.read },
  });
  tlb.touch.set(hit);
  tlb.clear.set(looked.isShoot);
}

/** A lookup that misses joins its page's miss or opens one; a shootdown poisons it. */
export function open(misses: Misses, looked: Looked, missed: Bit): void {
  misses.add.set({
    valid: missed,
    key: looked.key,
    slot: looked.slot,
    write: looked.request.needsWrite,
  });
  misses.poison.set(looked.isShoot);
}

/** A miss that is opened fetches its page's bucket; the verdict comes from there or from a page fault. */
export function resolve(p: TranslateParameters, misses: Misses, looked: Looked, walk: Walk, faults: Faults): void {
  const { indexBits, tagBits } = tableOf(p);
  walk.fetch.valid.set(misses.added.fetch);
  walk.fetch.payload.set({ miss: misses.added.miss, index: looked.bucket, tag: looked.key.bits(indexBits, tagBits) });
  misses.arriving.set(walk.arriving);
  misses.walked.set(walk.walked);
  faults.fault.set(misses.fault);
  misses.faulted.set(faults.done);
  misses.quick.set(faults.quick);
  misses.written.set(faults.written);
}

/** The table's memory and the free pages. */
export function attach(walk: Walk, faults: Faults, io: TranslateIo): void {
  connect(walk.ar, io.ar);
  connect(io.r, walk.r);
  connect(faults.aw, io.aw);
  connect(faults.w, io.w);
  connect(io.b, faults.b);
  connect(io.freePage, faults.freePage);
  faults.outOfMemory.set(io.outOfMemory);
  io.freePages.set(faults.level);
}

/** What a cycle's judgement counts as. */
export function count(
  happened: Var<typeof TranslateEvents>,
  j: Judgement,
  from: { readonly misses: Misses; readonly tlb: Buffer; readonly faults: Faults; readonly shotDown: Bit },
): void {
  const { added } = from.misses,
    { done } = from.faults;
  const adds = node(j.missed.and(added.taken)),
    denied = node(j.denied.andNot(j.moving));
  happened.set({
    tlbHits: j.hit,
    tlbMisses: adds,
    missesMerged: adds.and(added.fetch.not()),
    bucketFetches: added.fetch,
    tlbEvictions: from.tlb.evicts,
    pageFaults: done.valid.andNot(done.outOfMemory.or(done.error)),
    tableWriteErrors: from.faults.refused,
    shootdowns: from.shotDown,
    invalid: j.absent.or(j.moving),
    outOfMemory: j.exhausted,
    writePermission: denied.and(j.lacksWrite),
    readPermission: denied.and(j.lacksWrite.not()),
  });
}
