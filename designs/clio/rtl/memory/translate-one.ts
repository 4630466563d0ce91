import { module } from "../../../../hdl-dsl/index.ts";
import { pageOf, stateOf, tlbOf } from "./translate-one/lookup.ts";
import { translateOnePorts } from "./translate-one/ports.ts";
import { fetchSteps, giveAccess, lookSteps, putSteps, reportShootdown } from "./translate-one/steps.ts";
import { bucketOf, faultOf, putEntry } from "./translate-one/table.ts";

/**
 * Address translation, permission check and page fault (paper §4.4.2, §4.4.3) for one request at a time, on a bus of 64
 * bits. The function is that of `Translate`: same TLB, page table, order of refusals and meaning of a shootdown. The
 * block serves devices that cannot hold the queues and the miss table of `Translate`. Plain reads and writes only. The
 * request is not copied: `access` stays offered until it is answered, so its sender holds it.
 *
 * Latency from `access` to `reads` or `writes`: 2 cycles a page that the TLB knows. A miss costs the memory's latency,
 * 8 beats and 4 cycles more. A page fault costs the memory's latency again and a cycle more, behind `AxiShare` 2: its
 * write-back is in memory before the request goes on. Initiation interval: the latency and a cycle.
 * Full: `access.ready` is 0. A fault that finds no frame waits, with `outOfMemory` it is refused.
 *
 * A memory that refuses the write-back is asked 16 times; after that the bucket is read back. When the entry is in it
 * all the same, the page has its frame and the request goes on. Otherwise the request ends with FAIL, and the next
 * fault has the frame: a frame stays first among the free pages until an entry in memory has it. So none is lost, and
 * no two pages have the same. While the bucket cannot be read, nobody knows who has the frame. Then faults end with
 * FAIL and take none, and each request begins with reading the bucket again; hits go on.
 *
 * Shootdown: taken between requests; the page's entry goes at once, `shootdown_done` comes when nothing is `busy` after
 * that. Reset: the TLB is empty, and there is no free page; it may come at any time.
 */
export const TranslateOne = module("TranslateOne", translateOnePorts, (io, p) => {
  const state = stateOf(p),
    page = pageOf(io, p, state),
    looked = tlbOf(io, p, state, page),
    bucket = bucketOf(io, p, state, page);
  const { tlb } = looked,
    { found } = bucket,
    fault = faultOf(io, p, state, page, { tlb, found });
  const writing = putEntry(io, p, state, page, bucket);
  tlb.fill.set({
    valid: state.is("fill"),
    key: page.key.is(page.key.width),
    mapping: { ppn: found.ppn, write: found.write, read: found.read },
  });

  const parts = { io, state, page, looked, bucket, fault, writing };
  lookSteps(parts);
  fetchSteps(parts);
  putSteps(parts);
  giveAccess(parts);
  reportShootdown(parts);
});
