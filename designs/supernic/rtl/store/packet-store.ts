import { connect, instance, module, orTree, output, reg, sink, source, uint } from "../../../../hdl-dsl/index.ts";
import { ReadBeat } from "../../../shared/frame/index.ts";
import { banksOf, readBanks, writeBanks } from "./banks.ts";
import { CellList } from "./cell-list.ts";
import { askByTurns, chainCopy } from "./chains.ts";
import { bring, putBack, read } from "./ends.ts";
import { BackBeat, cellBits, FirstCell, StoreBeat, StoreEvents, StoreJob, type StoreParameters } from "./records.ts";
import { LinkWrite, OwnersWrite, Reaper } from "./reaper.ts";
import { walk } from "./walk.ts";

/**
 * The packet store (paper §5.4.1): payloads in cells of some beats, each cell followed by another one. A beat of each
 * bank is read and one written in every cycle: banks are beats of a cell, turned by the cell's number.
 *
 * `write` brings payloads in, and `stored` tells where each begins. `leave` reads for the deparser, `read0` and `read1`
 * for the regions; `back0` and `back1` put beats back in place. Each release takes one owner away; without owners the
 * cells are free.
 *
 * Grants are by beat and by turns: a beat waits for at most two others at its bank, and is read only when its receiver
 * has room for it. So a stalled stream holds up no other one, and none can wait for another in a circle.
 * Latency: `stored` 1 cycle after the last beat; 5 cycles from a job to its first beat; 5 cycles from a release to
 * `free`. Initiation interval: a beat a cycle for each of the six. Full: `write` waits for a cell, everything else goes
 * on. A job ends with its payload, however many beats it wants: nobody reads or writes behind it. Nobody may read what
 * is put back at the same time. Reset: all is free.
 */
export const PacketStore = module(
  "PacketStore",
  (p: StoreParameters) => ({
    write: sink(StoreBeat(p)),
    stored: source(FirstCell(p)),
    back0Job: sink(StoreJob(p)),
    back0: sink(BackBeat(p)),
    back1Job: sink(StoreJob(p)),
    back1: sink(BackBeat(p)),
    leaveJob: sink(StoreJob(p)),
    leave: source(ReadBeat(p.beatBytes)),
    read0Job: sink(StoreJob(p)),
    read0: source(ReadBeat(p.beatBytes)),
    read1Job: sink(StoreJob(p)),
    read1: source(ReadBeat(p.beatBytes)),
    release0: sink(FirstCell(p)),
    release1: sink(FirstCell(p)),
    free: output(uint(cellBits(p) + 1)),
    events: output(StoreEvents),
  }),
  (io, p) => {
    const list = instance("list", CellList({ cells: p.cells })),
      reaper = instance("reaper", Reaper(p)),
      banks = banksOf(p),
      readers = chainCopy(p, "readers"),
      backs = chainCopy(p, "backs");

    // In.
    const brought = bring(p, io.write, list.offer, io.stored);
    const back0 = walk("back_0", p, io.back0Job),
      back1 = walk("back_1", p, io.back1Job);
    askByTurns("backs", backs, [back0, back1]);
    const put = [putBack("put_0", p, back0.parts, io.back0), putBack("put_1", p, back1.parts, io.back1)];
    writeBanks(p, banks, [brought, ...put]);

    // Out.
    const leave = walk("leave", p, io.leaveJob),
      read0 = walk("read_0", p, io.read0Job),
      read1 = walk("read_1", p, io.read1Job);
    askByTurns("readers", readers, [leave, read0, read1]);
    const reading = [
      read("leave_out", p, leave.parts, io.leave),
      read("read_0_out", p, read0.parts, io.read0),
      read("read_1_out", p, read1.parts, io.read1),
    ];
    readBanks(p, banks, reading);

    // Links and owners, and the way back to the list.
    for (const copy of [readers, backs]) copy.write(brought.link.en, brought.link.cell, brought.link.value);
    // A cycle late, which is early enough for a release: who writes is known late in this one.
    const linked = reg(LinkWrite(p), { init: { en: 0 } }),
      owned = reg(OwnersWrite(p), { init: { en: 0 } });
    linked.set(brought.link);
    owned.set(brought.arrived);
    reaper.link.set(linked);
    reaper.owns.set(owned);
    connect(io.release0, reaper.release0);
    connect(io.release1, reaper.release1);
    list.back.set(reaper.back);
    io.free.set(list.free);
    const events = reg(StoreEvents, { init: 0 });
    events.set({ short: orTree([...reading, ...put].map(x => x.short)), uneven: orTree(put.map(x => x.uneven)) });
    io.events.set(events);
  },
  { nameOf: p => `PacketStore_c${p.cells}_k${p.cellBeats}_b${p.beatBytes}_m${p.payloadBeats}` },
);
