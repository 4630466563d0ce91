import { assertAlways, fsm, module } from "../../../../hdl-dsl/index.ts";
import { locateSteps, restSteps, trimSteps } from "./allocator/giving.ts";
import { allocateSteps, answerSteps, freeSteps } from "./allocator/growing.ts";
import { lineSteps, noteSteps } from "./allocator/lines.ts";
import { askMemory } from "./allocator/memory.ts";
import { partsOf, states } from "./allocator/parts.ts";
import { allocatorPorts } from "./allocator/ports.ts";
import { fillSteps, searchSteps } from "./allocator/taking.ts";
import { unitBitsOfSlab } from "./allocator/visit.ts";

/**
 * The offload's own memory, in blocks of 64 B to 2 KB in powers of two (six classes), in arenas of `arenaBytes` by
 * ALLOC from the slow path. It is a buddy system: a free block is halved for smaller ones, and two free halves are one
 * again. So what was freed serves every class, whatever still stands beside it. Each arena says in its first units
 * which of its units are free (free-map.ts); a directory here has the largest free block of each arena (arenas.ts).
 *
 * Up to 16 free blocks of a class are kept here, the last freed first. A block comes from these, else from the lowest
 * place of the lowest arena that has one, with up to 7 more. Memory grows when no arena has one. When ALLOC is refused
 * with OUT_OF_MEMORY the next region is tried; then what is kept here goes back, and the arenas are looked at once
 * more. The refusal is the answer after that, and the next request tries again.
 *
 * Kept blocks are at most `2 * contexts` more than blocks that are taken, and a quarter of these when no request has
 * come for 32 cycles. Others go back to their arenas, of the largest class first. An arena of which nothing is taken
 * is freed (FREE) when there is another such one. So at rest, with n blocks taken, there are at most 1.25 n + 1
 * arenas.
 *
 * M is a round trip to memory. Latency from `take` to `taken`: 2 cycles from the kept ones. From an arena 3 M + 94 to
 * 5 M + 150 cycles and 2 for each 16 arenas that are passed over; ALLOC's time more for a new arena. One at a time;
 * `give` goes first. `give` takes 4 cycles for each block. A block that goes back to its arena takes 2 M + 40, or 4 M
 * + 80 when the largest free block of its group changes, and FREE's time when its arena goes. A request that comes
 * meanwhile waits for two of them at most, or for all that are kept when memory has run out. Full: `take` and `give`
 * wait. A block is lost when memory refuses the line that it is in. Reset: all state is lost, the directory is cleared
 * in a cycle for each 16 arenas; blocks and arenas that were allocated before are not given back. An arena at an
 * address of `arenasKnown` x `arenaBytes` or more is given back, and answered as OUT_OF_MEMORY.
 */
export const KvAllocator = module(
  "KvAllocator",
  allocatorPorts,
  (io, p) => {
    const parts = partsOf(io, p),
      { arenas, stock, outcome, giving } = parts;
    const state = fsm(states, "clear", m => ({
      ...restSteps(parts, m),
      ...trimSteps(parts, m),
      ...locateSteps(parts, m),
      ...searchSteps(parts, m),
      ...lineSteps(parts, m),
      ...noteSteps(parts, m),
      ...fillSteps(parts, m),
      ...allocateSteps(parts, m),
      ...freeSteps(parts, m),
      ...answerSteps(parts, m),
    }));
    const { event } = io;
    arenas.writeDigits(state.is("clear"), state.is("noted"));
    arenas.writeOffset(
      state.is("allocating").and(outcome.mine).and(outcome.granted).and(stock.asked.table.not()),
      event.block,
    );

    io.give.ready.set(state.is("given").and(giving.lastPart));
    io.take.ready.set(state.is("idle").and(io.give.valid.not()));
    const { asked, answer } = stock;
    io.taken.valid.set(state.is("answer"));
    io.taken.payload.set({ slot: asked.slot, context: asked.context, status: answer.status, block: answer.block });

    askMemory(io, p, parts, {
      reading: state.is("read"),
      writing: state.is("write"),
      allocating: state.is("allocate"),
      freeing: state.is("free"),
    });
    const waiting = state.is("reading").or(state.is("writing")).or(state.is("allocating")).or(state.is("freeing"));
    assertAlways(outcome.mine.not().or(waiting), "a reply to the allocator is waited for");
    assertAlways(
      outcome.mine.and(state.is("allocating")).and(outcome.granted).and(event.block.trunc(unitBitsOfSlab).any()).not(),
      "ALLOC gives whole pages",
    );
  },
  { nameOf: p => `KvAllocator_b${p.beatBytes}_c${p.contexts}_t${p.buckets}_a${p.arenaBytes}_r${p.regions}` },
);
