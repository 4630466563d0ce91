import {
  assertAlways,
  axi4Address,
  axi4Read,
  axi4Response,
  axi4Write,
  type Bit,
  bit,
  bitsFor,
  cat,
  connect,
  constant,
  decode,
  fifo,
  input,
  instance,
  literalOf as literalVal,
  module,
  mux,
  node,
  output,
  priority,
  ram,
  reg,
  sink,
  source,
  stream,
  struct,
  uint,
  type Val,
  when,
  wire,
} from "../../../../hdl-dsl/index.ts";
import { status } from "../../wire/index.ts";
import {
  locatePage,
  MissTable,
  PageFault,
  type PageFaultParameters,
  tableName,
  TableWalk,
  Tlb,
  verdict,
} from "../../../shared/virtual-memory/rtl/index.ts";
import { addressSpace, tableOf, tableParameters } from "../../config/index.ts";
import { passQueue } from "../../../shared/stream/index.ts";
import { Access, firstPointerOp, plainOp, syncOpBits, Translated } from "../records/records.ts";

export interface TranslateParameters extends Omit<PageFaultParameters, keyof typeof addressSpace> {
  readonly slots: number;
  readonly tlbEntries: number;
  readonly pagesPerRequest: number;
}

/** An access that is not to be made, and why. */
export const Refused = (p: { readonly slots: number }) =>
  struct({ slot: uint(Math.log2(p.slots)), status: uint(4), silent: bit, replyOpcode: uint(8), indirect: bit });
/** A page whose translation is to be forgotten. */
export const Shootdown = (p: TranslateParameters) =>
  struct({ pid: uint(addressSpace.pidBits), vpn: uint(tableOf(p).vpnBits) });
/** One-cycle pulses for the counters. */
export const translateEvents = [
  "tlbHits",
  "tlbMisses",
  "missesMerged",
  "bucketFetches",
  "tlbEvictions",
  "pageFaults",
  "shootdowns",
  "invalid",
  "writePermission",
  "readPermission",
  "outOfMemory",
] as const;
const TranslateEvents = struct(
  Object.fromEntries(translateEvents.map(n => [n, bit])) as Record<(typeof translateEvents)[number], typeof bit>,
);

/**
 * Address translation, permission check and page fault (paper §4.4.2, §4.4.3): a request leaves here when every page it
 * touches is known and permitted.
 *
 * Stage 1 looks a page up in the TLB. Stage 2 decides: hit, miss (join or open one), or serve the requests of a miss
 * whose verdict is in. Stage 2 never waits. Its decision goes into a register and from there out, or to a queue with
 * room for every request in flight (`slots`). So a stalled memory stalls no lookup. A request that crosses into another
 * page comes round again for it, in front of new ones.
 *
 * Hit: 3 cycles from `access` to `reads`/`writes`, one per cycle; 3 more for a second page. Miss: that, one table
 * access and 4 cycles. Misses are pipelined one per cycle, to at most `misses` different pages; more wait in a side
 * queue while hits go on. Fault: 1 cycle more than a miss, 2 when it had to wait for its frame. Sustained, each
 * access another page: one every 2 cycles, since a miss passes stage 2 twice. `misses` must cover the time that
 * each miss is held. With L the memory's latency, that is about L + 8 cycles for a miss and 2 L + 8 for a fault
 * (fetch and write-back).
 *
 * Shootdown: the page's entry goes at once. `shootdown_done` comes when every request that could have used the entry
 * has left the node (its slot is free). No fetch or write-back of the page is then under way. One shootdown at a time.
 */
export const Translate = module(
  "Translate",
  (p: TranslateParameters) => ({
    access: sink(Access(p)),
    reads: source(Translated(shapeOf(p))),
    writes: source(Translated(shapeOf(p))),
    refused: source(Refused(p)),
    /** Accesses with an `op` other than plain. */
    syncs: source(Translated(shapeOf(p))),
    ar: source(axi4Address(p)),
    r: sink(axi4Read(p)),
    aw: source(axi4Address(p)),
    w: source(axi4Write(p.beatBytes)),
    b: sink(axi4Response(p)),
    freePage: sink(uint(tableOf(p).ppnBits)),
    freePages: output(uint(bitsFor(p.freePages))),
    outOfMemory: input(bit),
    shootdown: sink(Shootdown(p)),
    shootdownDone: source(bit),
    /** Slots in use, from the slot pool. */
    busy: input(uint(p.slots)),
    events: output(TranslateEvents),
  }),
  (io, p) => {
    const g = tableOf(p),
      keyBits = g.pidBits + g.vpnBits,
      slot = uint(Math.log2(p.slots));
    const pages = p.pagesPerRequest,
      step = uint(Math.max(1, Math.ceil(Math.log2(pages))));
    /** A request between lookups, kept by slot. */
    const Pending = struct({
      pid: uint(g.pidBits),
      vpn: uint(g.vpnBits),
      offset: uint(g.pageShift),
      length: uint(14),
      write: bit,
      silent: bit,
      replyOpcode: uint(8),
      op: uint(syncOpBits),
      indirect: bit,
      /** The rights that it needs. */
      needsRead: bit,
      needsWrite: bit,
      /** Beyond the address space. */
      outside: bit,
      /**
       * Index of the page to look up next (`vpn`), index of the last page that the request needs, and the
       * frames so far.
       */
      step,
      lastStep: step,
      ppns: uint(pages * g.ppnBits),
    });
    const records = ram(Pending, { depth: p.slots, collision: "undefined", style: "distributed" });

    const misses = instance("misses", MissTable({ ...walkParameters(p), slots: p.slots, keyBits }));
    const tlb = instance("tlb", Tlb({ entries: p.tlbEntries, keyBits, ppnBits: g.ppnBits }));

    // ---- Stage 1: look a page up. In order: a request that goes on to its next page, one that found no room before, a
    // shootdown, a new one.
    const Decision = struct({ ...Translated(shapeOf(p)).fields, status: uint(4) });
    const decision = reg(Decision);
    const goesTo = reg(struct({ reads: bit, writes: bit, syncs: bit, refused: bit, again: bit, parked: bit }), {
      init: 0,
    });
    const againQueue = passQueue("again", slot, p.slots, goesTo.again, decision.slot);
    const parked = stream(slot);
    parked.valid.set(goesTo.parked);
    parked.payload.set(decision.slot);
    const parkedQueue = fifo(parked, p.slots, { style: "distributed" });
    assertAlways(parked.valid.and(parked.ready.not()).not(), "the queue parked has room for every request in flight");
    /** A parked request is being tried: one at a time, when there is room again. */
    const retrying = reg(bit, { init: 0 });
    /** A shootdown is under way. */
    const shooting = reg(bit, { init: 0 });

    const firstReady = wire(bit);
    // The choice does not depend on room in stage 1, so that only the enables wait for stage 2's decision.
    const wantsParked = node(againQueue.valid.not().and(parkedQueue.valid).and(retrying.not()).and(misses.room));
    const wantsOld = node(againQueue.valid.or(wantsParked));
    const wantsShootdown = node(wantsOld.not().and(io.shootdown.valid).and(shooting.not()));
    const wantsNew = node(wantsOld.or(wantsShootdown).not());
    const takeParked = node(firstReady.and(wantsParked));
    const takeShootdown = node(firstReady.and(wantsShootdown));
    const takeNew = node(firstReady.and(wantsNew).and(io.access.valid));
    againQueue.ready.set(firstReady);
    parkedQueue.ready.set(takeParked);
    io.shootdown.ready.set(firstReady.and(wantsOld.not()).and(shooting.not()));
    io.access.ready.set(firstReady.and(wantsNew));

    const oldSlot = node(mux(againQueue.valid, againQueue.payload, parkedQueue.payload));
    const old = records.readAsync(oldSlot);
    const a = io.access.payload;
    const offset = a.va.bits(0, g.pageShift);
    // Pages after the first: how far the last byte is beyond the first page.
    const plain = node(a.op.eq(plainOp));
    const lastByte = node(
      offset
        .zext(extentBits(p))
        .add(a.length.resize(extentBits(p)))
        .sub(1),
    );
    const fresh = {
      pid: a.pid,
      vpn: a.va.bits(g.pageShift, g.vpnBits),
      offset,
      length: a.length,
      write: a.write,
      silent: a.silent,
      replyOpcode: a.replyOpcode,
      op: a.op,
      indirect: a.indirect,
      needsRead: plain.not().or(a.write.not()),
      needsWrite: mux(plain, a.write, a.op.lt(firstPointerOp)),
      outside: a.va.bits(g.vaBits, 64 - g.vaBits).any(),
      step: constant(0, step.width),
      lastStep: mux(plain, lastByte.shr(g.pageShift).trunc(step.width), 0),
      ppns: constant(0, pages * g.ppnBits),
    };
    const entering = mux(wantsOld, old, literalVal(Pending, fresh));

    const first = reg(Pending),
      firstKey = reg(uint(keyBits)),
      firstSlot = reg(slot);
    const firstValid = reg(bit, { init: 0 }),
      firstShoots = reg(bit, { init: 0 });
    const loads = node(firstReady.and(wantsOld.or(wantsShootdown).or(io.access.valid)));
    when(firstReady, () => firstValid.set(loads));
    when(loads, () => {
      first.set(entering);
      firstSlot.set(mux(wantsOld, oldSlot, a.slot));
      firstShoots.set(wantsShootdown);
      firstKey.set(
        mux(
          wantsShootdown,
          cat(io.shootdown.payload.pid, io.shootdown.payload.vpn),
          cat(entering.pid, entering.vpn),
        ).is(keyBits),
      );
    });

    // ---- Stage 2: decide. The stage holds a lookup or a shootdown for a cycle, or the miss table serves the requests
    // of a miss, one a cycle.
    const served = misses.served,
      serving = served.valid;
    const isLookup = reg(bit, { init: 0 });
    const isShoot = reg(bit, { init: 0 });
    const secondEnds = node(serving.not().or(served.last));
    const firstMoves = node(secondEnds.and(misses.next.not()).and(firstValid));
    firstReady.set(firstValid.not().or(firstMoves));
    misses.take.set(secondEnds.and(misses.next));
    const second = reg(Pending),
      secondKey = reg(uint(keyBits)),
      secondSlot = reg(slot);
    const place = locatePage(g, firstKey);
    const secondIndex = reg(uint(g.indexBits));
    isLookup.set(firstMoves.and(firstShoots.not()));
    isShoot.set(firstMoves.and(firstShoots));
    when(firstMoves, () => {
      second.set(first);
      secondKey.set(firstKey);
      secondSlot.set(firstSlot);
      secondIndex.set(place.index);
    });
    tlb.key.set(firstKey);
    tlb.advance.set(firstMoves);
    misses.key.set(firstKey);
    misses.advance.set(firstMoves);

    const waited = records.readAsync(served.slot);
    const request = mux(serving, waited, second as Val<typeof Pending>);
    const requestSlot = node(mux(serving, served.slot, secondSlot));

    // Facts about the page.
    const hit = node(isLookup.and(second.outside.not()).and(tlb.hit));
    const mapping = mux(
      serving,
      literalVal(struct({ ppn: uint(g.ppnBits), write: bit, read: bit }), {
        ppn: served.ppn,
        write: served.write,
        read: served.read,
      }),
      tlb.mapping,
    );
    const permitted = node(request.needsWrite.not().or(mapping.write).and(request.needsRead.not().or(mapping.read)));
    const ended = (v: number): Bit => serving.and(served.verdict.eq(v));
    const mapped = node(hit.or(ended(verdict.mapped)));
    // Requests that joined the fetch may be newer than an entry that the fetch did not see. So only the first request
    // takes "no entry" as true.
    const absent = node(isLookup.and(second.outside).or(ended(verdict.invalid).and(served.first)));
    const doubtful = node(ended(verdict.invalid).and(served.first.not()));
    const failed = node(ended(verdict.error));
    // A page without a frame has permissions all the same: they are checked first.
    const denied = node(permitted.not().and(mapped.or(ended(verdict.unmapped)).or(ended(verdict.outOfMemory))));
    const lacksWrite = node(request.needsWrite.and(mapping.write.not()));
    const exhausted = node(permitted.and(ended(verdict.outOfMemory)));
    // An entry without frame and rights: the slow path has taken them, since the page goes to another node or comes
    // from one. Such a page is in no TLB, so this is beside the lookup's path.
    const moving = node(ended(verdict.unmapped).and(served.read.or(served.write).not()));
    // Permitted, but joined after the verdict that no frame was needed: look again.
    const againLater = node(permitted.and(ended(verdict.unmapped)));
    const goesOn = node(mapped.and(permitted));
    const complete = node(request.step.eq(request.lastStep));

    const missed = node(isLookup.and(second.outside.not()).and(tlb.hit.not()));
    const adds = node(missed.and(misses.added.taken));
    const parks = node(missed.and(misses.added.taken.not()).or(againLater).or(doubtful));
    misses.add.set({
      valid: missed,
      key: secondKey,
      slot: secondSlot,
      read: second.needsRead,
      write: second.needsWrite,
    });
    misses.poison.set(isShoot);

    // ---- The TLB is filled when the first request of a miss is served.
    const learns = node(serving.and(served.first).and(served.verdict.eq(verdict.mapped)).and(served.poisoned.not()));
    tlb.fill.set({
      valid: learns,
      key: served.key,
      mapping: { ppn: served.ppn, write: served.write, read: served.read },
    });
    tlb.use.set(hit);
    tlb.clear.set(isShoot);

    // ---- Where the request goes.
    const ppns = cat(
      ...Array.from({ length: pages }, (_, k) =>
        mux(request.step.eq(k), mapping.ppn, request.ppns.bits(k * g.ppnBits, g.ppnBits)),
      ).reverse(),
    );
    const asksSync = node(request.op.ne(plainOp));
    const finished = node(goesOn.and(complete));
    const code = priority(
      [absent, status.INVALID],
      [failed, status.FAIL],
      [exhausted, status.OUT_OF_MEMORY],
      [moving, status.MIGRATING],
      [lacksWrite, status.WRITE_PERM],
      constant(status.READ_PERM, 4),
    );
    // From a register: the decision leaves in the next cycle, past the queues when they are empty.
    decision.set({
      slot: requestSlot,
      offset: request.offset,
      length: request.length,
      write: request.write,
      silent: request.silent,
      replyOpcode: request.replyOpcode,
      op: request.op,
      indirect: request.indirect,
      ppns,
      status: code,
    });
    goesTo.set({
      reads: finished.and(asksSync.not()).and(request.write.not()),
      writes: finished.and(asksSync.not()).and(request.write),
      syncs: finished.and(asksSync),
      refused: absent.or(failed).or(exhausted).or(denied),
      again: goesOn.and(complete.not()),
      parked: parks,
    });
    const { status: decidedStatus, ...translated } = decision;
    connect(passQueue("reads_out", Translated(shapeOf(p)), p.slots, goesTo.reads, translated), io.reads);
    connect(passQueue("writes_out", Translated(shapeOf(p)), p.slots, goesTo.writes, translated), io.writes);
    connect(passQueue("syncs_out", Translated(shapeOf(p)), p.slots, goesTo.syncs, translated), io.syncs);
    connect(
      passQueue(
        "refused_out",
        Refused(p),
        p.slots,
        goesTo.refused,
        literalVal(Refused(p), {
          slot: decision.slot,
          status: decidedStatus,
          silent: decision.silent,
          replyOpcode: decision.replyOpcode,
          indirect: decision.indirect,
        }),
      ),
      io.refused,
    );

    // Next state of the request. The state is not read again when the request ends here.
    const nextPage = node(request.vpn.addGrow(constant(1, g.vpnBits)));
    records.write(isLookup.or(serving), requestSlot, {
      ...request,
      step: mux(mapped, request.step.add(1), request.step),
      ppns,
      vpn: mux(mapped, nextPage.trunc(g.vpnBits), request.vpn),
      outside: mux(mapped, nextPage.bit(g.vpnBits), request.outside),
    });
    when(takeParked, () => retrying.set(1)).elseWhen(isLookup, () => retrying.set(0));

    // ---- The table in memory.
    const walk = instance("walk", TableWalk(walkParameters(p)));
    walk.fetch.valid.set(misses.added.fetch);
    walk.fetch.payload.set({
      miss: misses.added.miss,
      index: secondIndex,
      tag: secondKey.bits(g.indexBits, g.tagBits),
    });
    connect(walk.ar, io.ar);
    connect(io.r, walk.r);
    const faults = instance("faults", PageFault({ ...walkParameters(p), freePages: p.freePages }));
    misses.arriving.set(walk.arriving);
    misses.walked.set(walk.walked);
    faults.fault.set(misses.fault);
    misses.faulted.set(faults.done);
    misses.quick.set(faults.quick);
    misses.written.set(faults.written);
    faults.outOfMemory.set(io.outOfMemory);
    connect(io.freePage, faults.freePage);
    io.freePages.set(faults.level);
    connect(faults.aw, io.aw);
    connect(faults.w, io.w);
    connect(io.b, faults.b);

    // ---- Shootdown: requests that could have used the page's translation drain.
    const inside = reg(uint(p.slots), { init: 0 });
    const arriving = mux(takeNew, decode(a.slot, p.slots), constant(0, p.slots));
    inside.set(inside.and(io.busy).or(arriving));
    const awaited = reg(uint(p.slots), { init: 0 });
    const drains = reg(bit, { init: 0 });
    const report = reg(bit, { init: 0 });
    when(takeShootdown, () => shooting.set(1));
    const shot = reg(bit, { init: 0 });
    shot.set(isShoot);
    when(shot, () => {
      drains.set(1);
      awaited.set(inside.and(io.busy));
    }).elseWhen(drains, () => {
      awaited.set(awaited.and(io.busy));
      when(awaited.any().or(misses.poisonLeft).not(), () => {
        drains.set(0);
        report.set(1);
      });
    });
    io.shootdownDone.valid.set(report);
    io.shootdownDone.payload.set(1);
    when(io.shootdownDone.fire, () => {
      report.set(0);
      shooting.set(0);
    });

    const happened = reg(TranslateEvents, { init: 0 });
    io.events.set(happened);
    happened.set({
      tlbHits: hit,
      tlbMisses: adds,
      missesMerged: adds.and(misses.added.fetch.not()),
      bucketFetches: misses.added.fetch,
      tlbEvictions: tlb.evicts,
      pageFaults: faults.done.valid.and(faults.done.outOfMemory.not()),
      shootdowns: io.shootdownDone.fire,
      invalid: absent.or(moving),
      outOfMemory: exhausted,
      writePermission: denied.and(lacksWrite).and(moving.not()),
      readPermission: denied.and(lacksWrite.or(moving).not()),
    });
  },
  {
    nameOf: p => `Translate_t${p.tlbEntries}_m${p.misses}_n${p.slots}_f${p.freePages}_b${p.beatBytes}_${tableName(p)}`,
  },
);

/** Bits that hold a page offset plus a length. */
const extentBits = (p: TranslateParameters): number => Math.max(tableOf(p).pageShift, 14) + 1;
const shapeOf = (p: TranslateParameters) => ({
  slots: p.slots,
  pagesPerRequest: p.pagesPerRequest,
  ppnBits: tableOf(p).ppnBits,
  pageShift: tableOf(p).pageShift,
});
const walkParameters = (p: TranslateParameters) => ({
  ...tableParameters(p),
  misses: p.misses,
  beatBytes: p.beatBytes,
  addressBits: p.addressBits,
  idBits: p.idBits,
});
