/** What the steps share: what waits, the ways out, and which step it is. */
import {
  bit,
  connect,
  constant,
  Fifo,
  instance,
  node,
  ram,
  reg,
  stage,
  stream,
  struct,
  uint,
} from "../../../../../hdl-dsl/index.ts";
import { hintTable } from "../hints.ts";
import { ticketBits, Turn } from "../types.ts";
import { GbnWaiting, WaitingPlan } from "../waiting.ts";
import type { GbnReorderParameters, ReorderIo } from "./ports.ts";

/** Widths of slots, tickets and ages. */
function sizesOf(p: GbnReorderParameters) {
  const tickets = p.ticketBits ?? ticketBits,
    ticket = uint(tickets),
    slotBits = Math.log2(p.waiting),
    slotOf = uint(slotBits);
  const reachBits = Math.log2(p.reach ?? 1024),
    patienceBits = Math.log2(p.patience),
    first = constant(p.first & (2 ** tickets - 1), tickets);
  return { tickets, ticket, slotBits, slotOf, reachBits, patienceBits, first };
}
type Sizes = ReturnType<typeof sizesOf>;

/** The plans of frames, and what goes with those that leave. */
function waysOut(io: ReorderIo, p: GbnReorderParameters) {
  const room = instance("room", GbnWaiting({ beatBytes: p.beatBytes, frameBytes: p.frameBytes, waiting: p.waiting }));
  connect(io.beats, room.beats);
  connect(room.out, io.outBeats);
  // Its `ready` hangs on beats, so it comes through a register.
  const plan = stream(WaitingPlan(p));
  connect(stage(plan, "backward", { name: "planned" }), room.plan);
  const outs = instance("outs", Fifo({ shape: uint(p.metaBits), depth: 4, style: "distributed" }));
  connect(outs.pop, io.out);
  return { plan, outs };
}

/** What waits: by slot, and which slots are taken; slots and lanes that are free; the slot that is looked at. */
function keptOf(io: ReorderIo, p: GbnReorderParameters, { slotBits, slotOf, reachBits }: Sizes) {
  const keptWords = ram(struct({ turn: Turn(p), quiet: bit, meta: uint(p.metaBits) }), {
    depth: p.waiting,
    collision: "undefined",
    style: "distributed",
  });
  const links = ram(slotOf, { depth: p.waiting, collision: "undefined", style: "distributed" });
  const taken = ram(bit, { depth: p.waiting, collision: "undefined", style: "distributed" });
  const seen = ram(bit, { depth: p.waiting, collision: "undefined", style: "distributed" });
  const hints = hintTable(p.waiting * 2 ** reachBits, slotBits);
  const free = instance("free", Fifo({ shape: slotOf, depth: p.waiting, style: "distributed" })),
    lanes = instance("lanes", Fifo({ shape: slotOf, depth: p.waiting, style: "distributed" }));
  const isFree = node(free.pop.valid.and(lanes.pop.valid)),
    freeSlot = node(free.pop.payload);
  const starting = reg(bit, { init: 1 });
  const crowded = reg(bit, { init: 0 });
  crowded.set(starting.not().and(free.level.le(p.waiting / 2)));
  io.crowded.set(crowded);
  const slot = reg(slotOf);
  const kept = keptWords.readAsync(slot);
  const slotTaken = node(taken.readAsync(slot));
  return { keptWords, links, taken, seen, hints, free, lanes, isFree, freeSlot, starting, slot, kept, slotTaken };
}

/**
 * One step after the other: choose what to look at, do it, then release what has waited for it, one reply after the
 * other.
 */
function stepsOf() {
  const at = {
    select: reg(bit, { init: 1 }),
    look: reg(bit, { init: 0 }),
    decide: reg(bit, { init: 0 }),
    sort: reg(bit, { init: 0 }),
    check: reg(bit, { init: 0 }),
    found: reg(bit, { init: 0 }),
    release: reg(bit, { init: 0 }),
    flush: reg(bit, { init: 0 }),
    flushed: reg(bit, { init: 0 }),
  };
  const go = (from: keyof typeof at, to: keyof typeof at): void => {
    at[from].set(0);
    at[to].set(1);
  };
  return { at, go };
}

export function partsOf(io: ReorderIo, p: GbnReorderParameters) {
  const sizes = sizesOf(p),
    ways = waysOut(io, p),
    kept = keptOf(io, p, sizes);
  return { io, p, sizes, ways, kept, steps: stepsOf() };
}
export type Parts = ReturnType<typeof partsOf>;
