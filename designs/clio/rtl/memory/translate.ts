import { assertAlways, bit, bitsFor, cat, connect, constant, decode, fifo, input, instance, literalOf as literalVal, module, mux, node, output, ram, reg, sink, source, stream, struct, uint, when, wire, axi4Address, axi4Read, axi4Response, axi4Write, type Bit, type Val } from "../../../../hdl-dsl/index.ts";
import { status } from "../../wire/index.ts";
import { pidBits, vaBits } from "../../../shared/virtual-memory/table/index.ts";
import { MissTable, verdict, locatePage, PageFault, Tlb, geometryOf, TableWalk, tableName, type PageFaultParameters } from "../../../shared/virtual-memory/rtl/index.ts";
import { passQueue } from "../../../shared/stream/index.ts";
import { Access, firstPointerOp, plainOp, syncOpBits, Translated } from "../records/records.ts";

export interface TranslateParameters extends PageFaultParameters {
  readonly slots: number;
  readonly tlbEntries: number;
  readonly pagesPerRequest: number;
}

/** An access that is not to be made, and why. */
export const Refused = (p: { readonly slots: number }) =>
  struct({ slot: uint(Math.log2(p.slots)), status: uint(4), silent: bit, replyOpcode: uint(8), indirect: bit });
/** A page whose translation is to be forgotten. */
export const Shootdown = (p: TranslateParameters) => struct({ pid: uint(pidBits), vpn: uint(geometryOf(p).vpnBits) });
/** One-cycle pulses for the counters. */
export const translateEvents = ["tlbHits", "tlbMisses", "missesMerged", "bucketFetches", "tlbEvictions", "pageFaults", "shootdowns",
  "invalid", "writePermission", "readPermission", "outOfMemory"] as const;
const TranslateEvents = struct(Object.fromEntries(translateEvents.map(n => [n, bit])) as Record<(typeof translateEvents)[number],
  typeof bit>);

/**
 * Address translation, permission check and page fault (paper §4.4.2, §4.4.3): a request leaves here when every page it touches is known
 * and permitted.
 *
 * Stage 1 looks a page up in the TLB; stage 2 decides: hit, miss (join or open one), or serve the requests of a miss whose verdict is in.
 * Stage 2 never waits: whatever it decides goes into a register and from there out, or to a queue with room for every request in flight
 * (`slots`), so a stalled memory stalls no lookup. A request that crosses into another page comes round again for it, in front of new ones.
 *
 * Hit: 3 cycles from `access` to `reads`/`writes`, one per cycle; 3 more for a second page. Miss: that, one table access and 4 cycles;
 * misses are pipelined one per cycle, as many as `misses` to different pages; more wait in a side queue while hits go on. Fault: 1 cycle
 * more than a miss, 2 when it had to wait for its frame. Sustained, each access another page: one every 2 cycles (a miss passes stage 2
 * twice), as long as `misses` covers the time that each is held: about L + 8 cycles for a miss, 2 L + 8 for a fault (fetch and write-back), L the memory's latency.
 *
 * Shootdown: the page's entry goes at once; `shootdown_done` comes when every request that could have used it has left the node (its slot
 * is free) and no fetch or write-back of it is under way. One at a time.
 */
export const Translate = module("Translate",
  (p: TranslateParameters) => ({
    access: sink(Access(p)),
    reads: source(Translated(shapeOf(p))), writes: source(Translated(shapeOf(p))), refused: source(Refused(p)),
    /** Accesses with an `op` other than plain. */
    syncs: source(Translated(shapeOf(p))),
    ar: source(axi4Address(p)), r: sink(axi4Read(p)),
    aw: source(axi4Address(p)), w: source(axi4Write(p.beatBytes)), b: sink(axi4Response(p)),
    free_page: sink(uint(geometryOf(p).ppnBits)), freePages: output(uint(bitsFor(p.freePages))), outOfMemory: input(bit),
    shootdown: sink(Shootdown(p)), shootdown_done: source(bit),
    /** Slots in use, from the slot pool. */
    busy: input(uint(p.slots)),
    events: output(TranslateEvents),
  }),
  (io, p) => {
    const g = geometryOf(p), keyBits = pidBits + g.vpnBits, slot = uint(Math.log2(p.slots));
    const pages = p.pagesPerRequest, step = uint(Math.max(1, Math.ceil(Math.log2(pages))));
    /** A request between lookups, kept by slot. */
    const Pending = struct({
      pid: uint(pidBits), vpn: uint(g.vpnBits), offset: uint(g.pageShift), length: uint(14), write: bit, silent: bit, replyOpcode: uint(8),
      op: uint(syncOpBits), indirect: bit,
      /** The rights that it needs. */
      needsRead: bit, needsWrite: bit,
      /** Beyond the address space. */
      outside: bit,
      /** Which page it looks up next (`vpn`), which one is the last that it needs, and the frames so far. */
      step, lastStep: step, ppns: uint(pages * g.ppnBits),
    });
    const records = ram(Pending, { depth: p.slots, collision: "undefined", style: "distributed" });

    const misses = instance("misses", MissTable({ ...walkParameters(p), slots: p.slots, keyBits }));
    const tlb = instance("tlb", Tlb({ entries: p.tlbEntries, keyBits, ppnBits: g.ppnBits }));

    // ---- Stage 1: look a page up. In order: a request that goes on to its next page, one that found no room before, a shootdown, a new
    // one.
    const Decision = struct({ ...Translated(shapeOf(p)).fields, status: uint(4) });
    const decision = reg(Decision);
    const goes_to = reg(struct({ reads: bit, writes: bit, syncs: bit, refused: bit, again: bit, parked: bit }), { init: 0 });
    const again_queue = passQueue("again", slot, p.slots, goes_to.again, decision.slot);
    const parked = stream(slot);
    parked.valid.set(goes_to.parked);
    parked.payload.set(decision.slot);
    const parked_queue = fifo(parked, p.slots, { style: "distributed" });
    assertAlways(parked.valid.and(parked.ready.not()).not(), "the queue parked has room for every request in flight");
    /** A parked request is being tried: one at a time, when there is room again. */
    const retrying = reg(bit, { init: 0 });
    /** A shootdown is under way. */
    const shooting = reg(bit, { init: 0 });

    const first_ready = wire(bit);
    // What would be taken is chosen without a look at whether stage 1 has room, so that only the enables wait for stage 2's decision.
    const wants_parked = node(again_queue.valid.not().and(parked_queue.valid).and(retrying.not()).and(misses.room));
    const wants_old = node(again_queue.valid.or(wants_parked));
    const wants_shootdown = node(wants_old.not().and(io.shootdown.valid).and(shooting.not()));
    const wants_new = node(wants_old.or(wants_shootdown).not());
    const take_parked = node(first_ready.and(wants_parked));
    const take_shootdown = node(first_ready.and(wants_shootdown));
    const take_new = node(first_ready.and(wants_new).and(io.access.valid));
    again_queue.ready.set(first_ready);
    parked_queue.ready.set(take_parked);
    io.shootdown.ready.set(first_ready.and(wants_old.not()).and(shooting.not()));
    io.access.ready.set(first_ready.and(wants_new));

    const old_slot = node(mux(again_queue.valid, again_queue.payload, parked_queue.payload));
    const old = records.readAsync(old_slot);
    const a = io.access.payload;
    const offset = a.va.bits(0, g.pageShift);
    // Pages after the first: how far the last byte is beyond the first page.
    const plain = node(a.op.eq(plainOp));
    const last_byte = node(offset.zext(extentBits(p)).add(a.length.resize(extentBits(p))).sub(1));
    const fresh = {
      pid: a.pid, vpn: a.va.bits(g.pageShift, g.vpnBits), offset, length: a.length, write: a.write, silent: a.silent,
        replyOpcode: a.replyOpcode, op: a.op, indirect: a.indirect,
      needsRead: plain.not().or(a.write.not()), needsWrite: mux(plain, a.write, a.op.lt(firstPointerOp)),
      outside: a.va.bits(vaBits, 64 - vaBits).any(), step: constant(0, step.width),
      lastStep: mux(plain, last_byte.shr(g.pageShift).trunc(step.width), 0),
        ppns: constant(0, pages * g.ppnBits),
    };
    const entering = mux(wants_old, old, literalVal(Pending, fresh));

    const first = reg(Pending), first_key = reg(uint(keyBits)), first_slot = reg(slot);
    const first_valid = reg(bit, { init: 0 }), first_shoots = reg(bit, { init: 0 });
    const loads = node(first_ready.and(wants_old.or(wants_shootdown).or(io.access.valid)));
    when(first_ready, () => { first_valid.set(loads); });
    when(loads, () => {
      first.set(entering);
      first_slot.set(mux(wants_old, old_slot, a.slot));
      first_shoots.set(wants_shootdown);
      first_key.set(mux(wants_shootdown, cat(io.shootdown.payload.pid, io.shootdown.payload.vpn),
        cat(entering.pid, entering.vpn)).is(keyBits));
    });

    // ---- Stage 2: decide. It holds a lookup or a shootdown for a cycle, or the miss table serves the requests of a miss, one a cycle.
    const served = misses.served, serving = served.valid;
    const is_lookup = reg(bit, { init: 0 });
    const is_shoot = reg(bit, { init: 0 });
    const second_ends = node(serving.not().or(served.last));
    const first_moves = node(second_ends.and(misses.next.not()).and(first_valid));
    first_ready.set(first_valid.not().or(first_moves));
    misses.take.set(second_ends.and(misses.next));
    const second = reg(Pending), second_key = reg(uint(keyBits)), second_slot = reg(slot);
    const place = locatePage(g, first_key);
    const second_index = reg(uint(g.indexBits));
    is_lookup.set(first_moves.and(first_shoots.not()));
    is_shoot.set(first_moves.and(first_shoots));
    when(first_moves, () => { second.set(first); second_key.set(first_key); second_slot.set(first_slot); second_index.set(place.index); });
    tlb.key.set(first_key);
    tlb.advance.set(first_moves);
    misses.key.set(first_key);
    misses.advance.set(first_moves);

    const waited = records.readAsync(served.slot);
    const request = mux(serving, waited, second as Val<typeof Pending>);
    const request_slot = node(mux(serving, served.slot, second_slot));

    // What is known of the page.
    const hit = node(is_lookup.and(second.outside.not()).and(tlb.hit));
    const mapping = mux(serving, literalVal(struct({ ppn: uint(g.ppnBits), write: bit, read: bit }),
      { ppn: served.ppn, write: served.write, read: served.read }), tlb.mapping);
    const permitted = node(request.needsWrite.not().or(mapping.write).and(request.needsRead.not().or(mapping.read)));
    const ended = (v: number): Bit => serving.and(served.verdict.eq(v));
    const mapped = node(hit.or(ended(verdict.mapped)));
    // Requests that joined the fetch may have come after the slow path made the entry that the fetch did not see: only the first believes
    // "no entry".
    const absent = node(is_lookup.and(second.outside).or(ended(verdict.invalid).and(served.first)));
    const doubtful = node(ended(verdict.invalid).and(served.first.not()));
    const failed = node(ended(verdict.error));
    // A page without a frame tells its permissions all the same: they come first.
    const denied = node(permitted.not().and(mapped.or(ended(verdict.unmapped)).or(ended(verdict.outOfMemory))));
    const lacks_write = node(request.needsWrite.and(mapping.write.not()));
    const exhausted = node(permitted.and(ended(verdict.outOfMemory)));
    // An entry without frame and rights: the slow path has taken them, since the page goes to another node or comes from one. Such a page is in no TLB, so this is beside the lookup's path.
    const moving = node(ended(verdict.unmapped).and(served.read.or(served.write).not()));
    // Permitted, but joined after the verdict that nobody needed a frame: look again.
    const again_later = node(permitted.and(ended(verdict.unmapped)));
    const goes_on = node(mapped.and(permitted));
    const complete = node(request.step.eq(request.lastStep));

    const missed = node(is_lookup.and(second.outside.not()).and(tlb.hit.not()));
    const adds = node(missed.and(misses.added.taken));
    const parks = node(missed.and(misses.added.taken.not()).or(again_later).or(doubtful));
    misses.add.set({ valid: missed, key: second_key, slot: second_slot, read: second.needsRead, write: second.needsWrite });
    misses.poison.set(is_shoot);

    // ---- The TLB learns a page when the first request of its miss is served.
    const learns = node(serving.and(served.first).and(served.verdict.eq(verdict.mapped)).and(served.poisoned.not()));
    tlb.fill.set({ valid: learns, key: served.key, mapping: { ppn: served.ppn, write: served.write, read: served.read } });
    tlb.use.set(hit);
    tlb.clear.set(is_shoot);

    // ---- Where the request goes.
    const ppns = cat(...Array.from({ length: pages },
      (_, k) => mux(request.step.eq(k), mapping.ppn, request.ppns.bits(k * g.ppnBits, g.ppnBits))).reverse());
    const asks_sync = node(request.op.ne(plainOp));
    const finished = node(goes_on.and(complete));
    const code = mux(absent, constant(status.INVALID, 4),
      mux(failed, constant(status.FAIL, 4), mux(exhausted, constant(status.OUT_OF_MEMORY, 4),
        mux(moving, constant(status.MIGRATING, 4), mux(lacks_write, constant(status.WRITE_PERM, 4), status.READ_PERM)))));
    // From a register: what is decided leaves in the next cycle, past the queues when they are empty.
    decision.set({ slot: request_slot, offset: request.offset, length: request.length, write: request.write, silent: request.silent,
      replyOpcode: request.replyOpcode, op: request.op, indirect: request.indirect, ppns, status: code });
    goes_to.set({
      reads: finished.and(asks_sync.not()).and(request.write.not()), writes: finished.and(asks_sync.not()).and(request.write),
      syncs: finished.and(asks_sync), refused: absent.or(failed).or(exhausted).or(denied),
      again: goes_on.and(complete.not()), parked: parks,
    });
    const { status: decided_status, ...translated } = decision;
    connect(passQueue("reads_out", Translated(shapeOf(p)), p.slots, goes_to.reads, translated), io.reads);
    connect(passQueue("writes_out", Translated(shapeOf(p)), p.slots, goes_to.writes, translated), io.writes);
    connect(passQueue("syncs_out", Translated(shapeOf(p)), p.slots, goes_to.syncs, translated), io.syncs);
    connect(passQueue("refused_out", Refused(p), p.slots, goes_to.refused,
      literalVal(Refused(p), { slot: decision.slot, status: decided_status, silent: decision.silent, replyOpcode: decision.replyOpcode,
        indirect: decision.indirect })), io.refused);

    // What comes next of the request, should it go on: if it ends here, nobody reads it again.
    const next_page = node(request.vpn.addGrow(constant(1, g.vpnBits)));
    records.write(is_lookup.or(serving), request_slot, {
      ...request, step: mux(mapped, request.step.add(1), request.step), ppns, vpn: mux(mapped, next_page.trunc(g.vpnBits), request.vpn),
      outside: mux(mapped, next_page.bit(g.vpnBits), request.outside),
    });
    when(take_parked, () => { retrying.set(1); }).elseWhen(is_lookup, () => { retrying.set(0); });

    // ---- The table in memory.
    const walk = instance("walk", TableWalk(walkParameters(p)));
    walk.fetch.valid.set(misses.added.fetch);
    walk.fetch.payload.set({ miss: misses.added.miss, index: second_index, tag: second_key.bits(g.indexBits, g.tagBits) });
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
    connect(io.free_page, faults.free_page);
    io.freePages.set(faults.level);
    connect(faults.aw, io.aw);
    connect(faults.w, io.w);
    connect(io.b, faults.b);

    // ---- Shootdown: what could have used the page's translation drains.
    const inside = reg(uint(p.slots), { init: 0 });
    const arriving = mux(take_new, decode(a.slot, p.slots), constant(0, p.slots));
    inside.set(inside.and(io.busy).or(arriving));
    const awaited = reg(uint(p.slots), { init: 0 });
    const drains = reg(bit, { init: 0 });
    const report = reg(bit, { init: 0 });
    when(take_shootdown, () => { shooting.set(1); });
    const shot = reg(bit, { init: 0 });
    shot.set(is_shoot);
    when(shot, () => { drains.set(1); awaited.set(inside.and(io.busy)); })
      .elseWhen(drains, () => {
        awaited.set(awaited.and(io.busy));
        when(awaited.any().or(misses.poisonLeft).not(), () => { drains.set(0); report.set(1); });
      });
    io.shootdown_done.valid.set(report);
    io.shootdown_done.payload.set(1);
    when(io.shootdown_done.fire, () => { report.set(0); shooting.set(0); });

    const happened = reg(TranslateEvents, { init: 0 });
    io.events.set(happened);
    happened.set({
      tlbHits: hit, tlbMisses: adds, missesMerged: adds.and(misses.added.fetch.not()), bucketFetches: misses.added.fetch,
        tlbEvictions: tlb.evicts,
      pageFaults: faults.done.valid.and(faults.done.outOfMemory.not()), shootdowns: io.shootdown_done.fire,
      invalid: absent.or(moving), outOfMemory: exhausted,
      writePermission: denied.and(lacks_write).and(moving.not()), readPermission: denied.and(lacks_write.or(moving).not()),
    });
  },
  { nameOf: p => `Translate_t${p.tlbEntries}_m${p.misses}_n${p.slots}_f${p.freePages}_b${p.beatBytes}_${tableName(p)}` });

/** Bits that hold a page offset plus a length. */
const extentBits = (p: TranslateParameters): number => Math.max(geometryOf(p).pageShift, 14) + 1;
const shapeOf = (p: TranslateParameters) => ({ slots: p.slots, pagesPerRequest: p.pagesPerRequest, ppnBits: geometryOf(p).ppnBits,
  pageShift: geometryOf(p).pageShift });
const walkParameters = (p: TranslateParameters) =>
  ({ pageSize: p.pageSize, physicalMemory: p.physicalMemory, slotsFactor: p.slotsFactor, misses: p.misses, beatBytes: p.beatBytes,
    addressBits: p.addressBits, idBits: p.idBits });
