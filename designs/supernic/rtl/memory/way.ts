import { module, node, when } from "../../../../hdl-dsl/index.ts";
import { wayBeats } from "./records.ts";
import { accessOf } from "./way/access.ts";
import { readsBack, writesBack } from "./way/back.ts";
import { counted, many, one, sumOf } from "./way/bounds.ts";
import { fenceOf } from "./way/fence.ts";
import { levelBits, wayPorts } from "./way/ports.ts";
import { putsOf } from "./way/put.ts";

/**
 * A task's way to memory (docs/supernic/memory.md): accesses come from the task, are cut at 4 KB, which pages are
 * multiples of, looked up piece by piece, and sent to the bus. A piece goes to the bus only when its beats are here, or
 * room for them is kept: so the bus never waits for a task. Reads are answered in order, and writes in order.
 *
 * Latency: 9 cycles from `ask` to `ar` or `aw` with a page that is present; initiation interval 10 cycles a piece.
 * Full: with 8 accesses that were not answered `ask` waits; with 32 beats `put` waits; a read waits for room for its
 * beats. `off`: the task is gone. What it asks is taken and forgotten, and so is what has not gone to the bus. Whoever
 * is behind takes what still comes back; `off` stays until `idle`. Reset: nothing is under way.
 */
export const MemoryWay = module(
  "MemoryWay",
  wayPorts,
  (io, p) => {
    const { off } = io,
      accesses = sumOf("accesses", 4, 0),
      room = sumOf("room", levelBits, wayBeats),
      here = sumOf("beats_here", levelBits, 0);
    const access = accessOf(io, p, { accesses, room, here }),
      puts = putsOf(io, access),
      reads = readsBack(io, access),
      writes = writesBack(io, access, puts.begins);
    const { mapped, refused, isWrite, beats, looks, goes, judged, waits, page, remote } = access;

    // Accesses that were not answered, room for beats, and beats that are here.
    accesses.change(one(io.ask.fire.andNot(off)), one(reads.ends).add(one(writes.ends)));
    room.change(one(reads.comes), many(mapped.andNot(isWrite), beats));
    here.change(one(puts.comes), many(puts.begins, puts.used));

    // Nothing under way; of a task that is off what was begun and never ended goes with it.
    const nothingOut = node(access.idle.andNot(reads.some).andNot(writes.some), { name: "nothing_out" }),
      nothingHere = node(reads.shows.or(puts.some).not(), { name: "nothing_here" }),
      idle = node(nothingOut.and(nothingHere), { name: "is_idle" }),
      clears = node(off.and(idle), { name: "clears" });
    when(clears, () => {
      accesses.n.set(0);
      here.n.set(0);
      reads.failing.set(0);
      writes.failing.set(0);
    });
    io.idle.set(idle);
    io.held.set(reads.held.or(writes.held).or(looks).or(goes).or(judged).or(waits));
    io.fenced.set(fenceOf(io, access));
    io.state.set({
      ...{ waits, remote, idle, page: page.is(io.state.page.width) },
      denied: counted("denied", refused),
      failed: counted("failed", reads.failed.or(writes.failed)),
    });
  },
  { nameOf: p => `MemoryWay_w${p.ways}_e${p.pages}_a${p.pageShift}_${p.ppnBits}` },
);
