/** What the engine keeps of every request, and the one that it looks at. */
import { bit, fromBits, lowestSet, node, priority, ram, reg, uint, unpack, vec } from "../../../../../hdl-dsl/index.ts";
import { Asked } from "../intake/ports.ts";
import { Entry } from "../layout.ts";
import { blockBits, entriesPerSlot, type KvParameters } from "../parameters.ts";
import type { EngineIo } from "./ports.ts";
import { linkIndex, Progress } from "./records.ts";

export function stateOf(io: EngineIo, p: KvParameters) {
  const n = p.contexts,
    small = { depth: n, collision: "undefined", style: "distributed" } as const;
  const asks = ram(Asked(p), small),
    steps = ram(Progress(p), small),
    writeStatuses = ram(uint(4), small);
  asks.write(io.enter.valid, io.enter.context, io.asked);
  return {
    asks,
    steps,
    writeStatuses,
    /** The block's write is over; the search is. */
    written: reg(uint(n), { init: 0 }),
    decided: reg(uint(n), { init: 0 }),
    // The event, its request and its progress.
    kind: reg(uint(3)),
    atSlot: reg(bit),
    atPair: reg(bit),
    context: reg(uint(Math.log2(n))),
    code: reg(uint(4)),
    failed: reg(bit),
    request: reg(Asked(p), { name: "a" }),
    progress: reg(Progress(p), { name: "c" }),
    wasWritten: reg(bit),
    wasDecided: reg(bit),
    writeStatus: reg(uint(4)),
    /** The bucket's first slot; the pair has the owner and key of the request; entries that may be the key's. */
    firstSlot: reg(uint(blockBits)),
    sameKey: reg(bit),
    matching: reg(uint(entriesPerSlot)),
    matched: reg(bit),
  };
}
export type State = ReturnType<typeof stateOf>;

/** A slot as memory gives it: its entries, and the link behind them. */
export function slotOf({ event }: EngineIo, { matching }: State) {
  const words = unpack(vec(Entry, entriesPerSlot + 1), event.line).toArray();
  const entries = words.slice(0, entriesPerSlot),
    link = words[linkIndex] as (typeof words)[number];
  const occupied = node(fromBits(entries.map(e => e.valid)));
  const chosen = node(lowestSet(matching)),
    hole = node(lowestSet(occupied.not()));
  return { entries, link, occupied, chosen, hole };
}
export type Slot = ReturnType<typeof slotOf>;

/** Whether the event is memory's, and whose turn is next. */
export function nextOf(io: EngineIo, { context }: State) {
  const memoryEvent = node(io.event.valid.andNot(io.event.forAllocator));
  const nextContext = node(
    priority(
      [memoryEvent, io.event.context.trunc(context.width)],
      [io.spare.valid, io.spare.payload.context],
      io.start.payload,
    ),
  );
  return { memoryEvent, nextContext };
}
