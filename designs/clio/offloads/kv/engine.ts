import { assertAlways, decode, fsm, module, when } from "../../../../hdl-dsl/index.ts";
import { askMemory } from "./engine/accesses.ts";
import { actSteps } from "./engine/act.ts";
import { lookSteps, pickSteps, takeSteps } from "./engine/look.ts";
import { partsOf, states } from "./engine/parts.ts";
import { enginePorts } from "./engine/ports.ts";
import { what } from "./engine/records.ts";
import { giveBack, reply, tellReplies, wishForSlots } from "./engine/results.ts";

/**
 * Carries out requests step by step, whichever is next: a request that may begin, a memory reply, a new slot. The state
 * of a request is kept by context, so requests interleave at will. RequestOrder keeps those on one bucket apart.
 *
 * - Search: a slot is read, and the first entry with the key's fingerprint names a pair, whose owner and key are
 *   compared (2 and 8 bytes). On a mismatch comes the next such entry (the slot is read again), then the next slot.
 * - READ: the pair is read whole, and its value goes out with the key's comparison.
 * - CREATE, UPDATE: the search goes on while the pair is being written. When both are over the entry is written, 8
 *   bytes, so that it is the old or the new one. A create takes the first empty entry of the whole chain. Where there
 *   is none it takes a new slot, which is linked once it is in memory.
 * - DELETE (or, of any key, of the first pair of the process): the entry is cleared; a slot that has no other, unless
 *   it is the bucket's first, is taken out of the chain instead.
 * - A search looks at `mostLooks` slots and pairs at most; then the request ends with INVALID and changes nothing. So
 *   it ends whatever stands in memory: chains that are rings, entries that point anywhere.
 * - An old block is given back when its entry has been replaced: the bucket's readers have left before. A new one is
 *   given back when it was not needed, and its write is over. When the write of the entry itself fails the block is
 *   lost, since the content of the entry is unknown.
 *
 * Latency, from a reply's `event` to the next memory request: 5 cycles for a slot, 4 otherwise. Initiation interval: 4
 * cycles for a slot, 3 for all else. Full: `memory` and `reply` have room for every context; `give` too, by `credit`.
 * So a reply of memory waits only for the engine and for a value on its way out.
 */
export const KvEngine = module(
  "KvEngine",
  enginePorts,
  (io, p) => {
    const parts = partsOf(io, p),
      { orders, verdict } = parts,
      { request, progress, context, kind, code, written, decided } = parts.state;
    const state = fsm(states, "idle", m => ({
      ...takeSteps(parts, m),
      ...lookSteps(parts, m),
      ...pickSteps(parts, m),
      ...actSteps(parts, m),
    }));
    const acting = state.is("act");
    parts.state.steps.write(orders.saving, context, progress);
    parts.state.writeStatuses.write(acting.and(kind.eq(what.block)), context, code);
    when(orders.ending, () => {
      const gone = decode(context, p.contexts).not();
      written.set(written.and(gone));
      decided.set(decided.and(gone));
    });
    io.start.ready.set(state.is("idle").and(parts.next.memoryEvent.or(io.spare.valid).not()));
    io.spare.ready.set(acting.and(kind.eq(what.spare)));
    tellReplies(parts, acting);

    // One cycle later: the results.
    const accesses = askMemory(parts),
      takes = wishForSlots(parts),
      { gives, giving } = giveBack(parts),
      answers = reply(parts);
    const { asking, ending, growing, end } = orders;
    io.leave.set({ valid: ending, context });
    io.swept.set({ valid: ending.and(request.any), code: end.code });
    io.refund.set(ending.and(gives.not()).and(verdict.reads.not()));
    assertAlways(asking.and(accesses.push.ready.not()).not(), "there is room for a memory request of every context");
    assertAlways(ending.and(answers.push.ready.not()).not(), "there is room for every context's reply");
    assertAlways(ending.and(gives).and(giving.push.ready.not()).not(), "there is room for what is given back");
    assertAlways(growing.and(takes.push.ready.not()).not(), "there is room for every context's wish for a slot");
  },
  { nameOf: p => `KvEngine_b${p.beatBytes}_c${p.contexts}_t${p.buckets}_l${p.mostLooks}` },
);
