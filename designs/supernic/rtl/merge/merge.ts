import {
  addressBits,
  arrayOf,
  bit,
  type Bit,
  instance,
  module,
  node,
  orTree,
  reg,
  uint,
  wire,
} from "../../../../hdl-dsl/index.ts";
import { lateCount, passQueue } from "../../../shared/stream/index.ts";
import { inlets, payloadCellBits, userClasses } from "../inside/index.ts";
import { Accounts } from "./accounts.ts";
import { candidatesOf, choose } from "./choice.ts";
import { Noted, split, tell } from "./lane.ts";
import { MergeEvents, type MergeParameters, mergePorts } from "./ports.ts";
import { blindCycles, cellsOf } from "./records.ts";
import { roomOf } from "./room.ts";

/** Frames that are noted on their way from their inlets. */
const notedFrames = 16;
/** Those that come when no more are taken. */
const notedLate = 4;

/** Takes of the cycles before, until accounts that show them have named the next head; `note` the last one's. */
function quietAfter(name: string) {
  const last = wire(bit, { name: `${name}_1_ago` }),
    was = Array.from({ length: blindCycles - 1 }, (_, i) => reg(bit, { init: 0, name: `${name}_${i + 2}_ago` }));
  was.forEach((w, i) => w.set(was[i - 1] ?? last));
  return {
    quiet: node(orTree([last, ...was]).not(), { name: `quiet_${name}` }),
    note: (take: Bit): void => last.set(take),
  };
}

/**
 * The merge with the meter (paper §5.4, §5.5; docs/supernic/merge.md): heads of all inlets and classes of users are
 * taken round robin, as far as their users have tokens, contexts and cells, and these are free; the headers go to the
 * header store and the payloads to the packet store, and a packet has arrived when both have it.
 *
 * Latency: a head is taken in its cycle, its first beat goes on as it comes; 2 cycles from there to `arrived`.
 * Initiation interval: a beat a cycle, a frame a cycle, from one inlet and class too while its user has plenty; near
 * its limits a frame in 5 cycles for each class. Full: heads wait, and a taken frame has its context and cells. Each
 * head that can go waits for at most as many others as there are heads. Reset: none is under way, and none goes for as
 * many cycles as there are users.
 */
export const Merge = module(
  "Merge",
  (p: MergeParameters) => mergePorts(p),
  (io, p) => {
    const n = inlets(p),
      accounts = instance("accounts", Accounts(p)),
      frames = arrayOf(io, "frames", n);
    const takes = wire(bit, { name: "took" }),
      noted = wire(Noted(p), { name: "noted" }),
      order = passQueue("order", Noted(p), notedFrames, takes, noted),
      waiting = reg(uint(Math.log2(notedFrames) + 1), { init: 0, name: "noted_waiting" });
    waiting.set(lateCount(waiting, takes, order.fire));
    const lane = split({ noted: order, frames, enter: io.enter, write: io.write });

    // Who goes.
    const { facts } = noted,
      tookNow = {
        valid: takes,
        user: facts.user.resize(addressBits(p.users)),
        bytes: facts.length,
        cells: cellsOf(facts.length, payloadCellBits(p)),
      };
    const room = roomOf(
      p,
      { contexts: io.freeContexts, cells: io.freeCells },
      { took: tookNow, enters: lane.enters, beginsCell: lane.beginsCell },
    );
    accounts.took.set(tookNow);
    accounts.released.set(io.released);
    accounts.part.set(io.epoch);
    accounts.users.set(io.users);
    const open = reg(bit, { init: 0, name: "order_open" });
    open.set(waiting.lt(notedFrames - notedLate));
    const alone = Array.from({ length: userClasses }, (_, k) => quietAfter(`alone_${k}`)),
      all = quietAfter("all"),
      heads = io.heads.toArray(),
      candidates = candidatesOf(p, { heads, allowed: accounts.allowed.toArray(), closed: accounts.closed, room });
    heads
      .flatMap(queues => Array.from({ length: userClasses }, (_, k) => queues.at(k).facts.user))
      .forEach((user, i) => accounts.whose.at(i).set(user.resize(addressBits(p.users))));
    const chosen = choose(p, candidates, arrayOf(io, "take", n), {
      open,
      room,
      quiet: alone.map(a => a.quiet),
      quietAll: all.quiet,
      note: (took, any) => {
        alone.forEach((a, k) => a.note(took[k] ?? any));
        all.note(any);
      },
    });
    takes.set(chosen.valid);
    noted.set({ inlet: chosen.inlet, facts: chosen.facts });

    tell(p, lane.pending, io.entered, io.stored, io.arrived);
    const events = reg(MergeEvents, { init: 0 });
    events.set({ taken: takes, user: facts.user, bytes: facts.length, urgent: chosen.urgent });
    io.events.set(events);
    io.dry.set(accounts.dry);
  },
  { nameOf: p => `Merge_p${p.ports}_u${p.users}_c${p.contexts}_k${p.cells}_f${p.frameBytes}` },
);
