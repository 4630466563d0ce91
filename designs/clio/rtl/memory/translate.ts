import { bit, instance, module, mux, node, ram, reg, when, wire } from "../../../../hdl-dsl/index.ts";
import { MissTable, PageFault, tableName, TableWalk, Tlb } from "../../../shared/virtual-memory/rtl/index.ts";
import { tableOf } from "../../config/index.ts";
import { chooseLookup, waitingRequests } from "./translate/choose.ts";
import { decide, framesOf, judge } from "./translate/judge.ts";
import { leave, remember } from "./translate/leave.ts";
import { stageOne, stageTwo } from "./translate/lookup.ts";
import { translatePorts } from "./translate/ports.ts";
import { Decision, Destination, keyBitsOf, Pending, TranslateEvents, walkParameters } from "./translate/records.ts";
import { drainForShootdown } from "./translate/shootdown.ts";
import { attach, compare, count, learn, open, resolve } from "./translate/units.ts";

export { Refused, Shootdown, translateEvents, type TranslateParameters } from "./translate/records.ts";

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
  translatePorts,
  (io, p) => {
    const misses = instance("misses", MissTable({ ...walkParameters(p), slots: p.slots, keyBits: keyBitsOf(p) }));
    const tlb = instance("tlb", Tlb({ entries: p.tlbEntries, keyBits: keyBitsOf(p), ppnBits: tableOf(p).ppnBits }));
    const walk = instance("walk", TableWalk(walkParameters(p)));
    const faults = instance("faults", PageFault({ ...walkParameters(p), freePages: p.freePages }));
    const records = ram(Pending(p), { depth: p.slots, collision: "undefined", style: "distributed" });
    const decision = reg(Decision(p)),
      goesTo = reg(Destination, { init: 0 });
    const retrying = reg(bit, { init: 0 }),
      shooting = reg(bit, { init: 0 });

    // Stage 1 looks a page up.
    const firstReady = wire(bit);
    const { access, shootdown } = io;
    const waiting = waitingRequests(p, { decision, goesTo });
    const choice = chooseLookup(waiting, {
      access,
      shootdown,
      ready: firstReady,
      room: misses.room,
      retrying,
      shooting,
    });
    const old = records.readAsync(choice.oldSlot);
    const first = stageOne(p, choice, { access, shootdown, old, ready: firstReady });

    // Stage 2 holds a lookup or a shootdown for a cycle, or the miss table serves the requests of a miss, one a cycle.
    const served = misses.served;
    const secondEnds = node(served.valid.not().or(served.last)),
      firstMoves = node(secondEnds.and(misses.next.not()).and(first.valid));
    firstReady.set(first.valid.not().or(firstMoves));
    misses.take.set(secondEnds.and(misses.next));
    compare(tlb, first.key, firstMoves);
    compare(misses, first.key, firstMoves);
    const looked = stageTwo(p, first, firstMoves, io.hashKey);
    const request = mux(served.valid, records.readAsync(served.slot), looked.request),
      slot = node(mux(served.valid, served.slot, looked.slot));
    const judged = { request, slot, looked, served, tlb };
    const judgement = judge(judged);
    const unplaced = node(judgement.missed.and(misses.added.taken.not()));
    const ppns = framesOf(p, request, judgement.mapping.ppn);
    decide({ decision, goesTo }, judged, judgement, ppns, unplaced.or(judgement.looksAgain));
    remember(p, records, judged, judgement.mapped, ppns);
    leave(p, { decision, goesTo }, io);
    when(choice.takesParked, () => retrying.set(1)).elseWhen(looked.isLookup, () => retrying.set(0));

    // What the TLB, the miss table and the table in memory learn from it.
    learn(tlb, judged, judgement.hit);
    open(misses, looked, judgement.missed);
    resolve(p, misses, looked, walk, faults);
    attach(walk, faults, io);

    drainForShootdown(p, { choice, looked, misses, shooting }, io);
    const happened = reg(TranslateEvents, { init: 0 });
    count(happened, judgement, { misses, tlb, faults, shotDown: io.shootdownDone.fire });
    io.events.set(happened);
  },
  {
    nameOf: p => `Translate_t${p.tlbEntries}_m${p.misses}_n${p.slots}_f${p.freePages}_b${p.beatBytes}_${tableName(p)}`,
  },
);
