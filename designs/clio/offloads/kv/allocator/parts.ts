/** What the steps of the allocator share. */
import {
  bit,
  cat,
  constant,
  type FsmControl,
  node,
  reg,
  struct,
  type UInt,
  uint,
} from "../../../../../hdl-dsl/index.ts";
import { type Directory, directory } from "../arenas.ts";
import { mostPicks } from "../free-line.ts";
import { arenaShape } from "../free-map.ts";
import { blockBits, type KvParameters } from "../parameters.ts";
import { balanceOf } from "./balance.ts";
import type { AllocatorIo } from "./ports.ts";
import { keptOf, stackOf, type Stock, stockOf } from "./stock.ts";
import { unitBitsOfSlab, visitOf } from "./visit.ts";

/** What memory says of the request under way. */
function outcomeOf({ event }: AllocatorIo, p: KvParameters, region: UInt) {
  const { failed, granted, elsewhere } = event,
    anotherRegion = node(region.ne(p.regions - 1).and(elsewhere));
  return { mine: event.forAllocator, failed, granted, anotherRegion };
}

/** The part of `give` that has its turn: the block of a value, or that of a slot. */
function givingOf(io: AllocatorIo, { givingSlot }: Stock) {
  const { payload: give } = io.give;
  const slotNow = node(givingSlot.or(give.value.not())),
    lastPart = node(slotNow.or(give.slot.not()));
  return { give, slotNow, lastPart };
}

/** The block that is picked next out of the line. */
function pickOf({ line }: ReturnType<typeof visitOf>, arenas: Directory): UInt {
  const place = node(line.picks.at(mostPicks - 1));
  const slabOfPick = node(
    arenas.firstSlab.add(cat(line.group, place.bits(unitBitsOfSlab, 4)).zext(arenas.slabNumberBits)),
  );
  return cat(slabOfPick, place.trunc(unitBitsOfSlab)).zext(blockBits);
}

export function partsOf(io: AllocatorIo, p: KvParameters) {
  const shape = arenaShape(p);
  const stock = stockOf(p),
    kept = keptOf(stock);
  const arenas = directory(p, shape, stock.kind),
    visit = visitOf(shape, stock, arenas);
  /** An arena of which nothing is taken; the one at hand lies where none is known. */
  const spare = reg(struct({ valid: bit, arena: uint(arenas.bits) }), { init: { valid: 0, arena: 0 } }),
    outside = reg(bit, { init: 0 });
  const outcome = outcomeOf(io, p, stock.region);
  io.done.set(outcome.mine);
  const stack = stackOf(stock, kept.level),
    giving = givingOf(io, stock);
  const sent = node(io.memory.fire.and(io.memory.payload.last));
  const balance = balanceOf(io, p, stock),
    pick = pickOf(visit, arenas);
  return { io, stock, kept, arenas, visit, spare, outside, outcome, stack, giving, sent, balance, pick };
}
export type Parts = ReturnType<typeof partsOf>;

export const states = [
  "clear",
  "idle",
  "give",
  "given",
  "trim",
  "pull",
  "seek",
  "locate",
  "located",
  "judged",
  "choose",
  "find",
  "found",
  "place",
  "placed",
  "read",
  "reading",
  "turn",
  "turned",
  "write",
  "writing",
  "note",
  "noted",
  "fill",
  "settle",
  "allocate",
  "allocating",
  "free",
  "freeing",
  "answer",
] as const;
export type Control = FsmControl<(typeof states)[number]>;

/** The directory gets the arena's digit. */
export function notes({ arenas }: Parts, m: Control, digit: UInt): void {
  arenas.digit.set(cat(constant(1, 1), digit));
  m.go("note");
}
