/** What goes into a region and comes out, and what software sees of its slots. */
import { addressBits, bit, bitsFor, struct, uint } from "../../../../hdl-dsl/index.ts";
import { type Declared, taskHeaderBytes } from "../../wire/index.ts";
import { front, headerBits, TaskConfig, told } from "../tasks/index.ts";

export interface ChainParameters {
  /** Packets inside the device, a power of two. */
  readonly contexts: number;
  /** Slots of the chain, 1 to 8. */
  readonly slots: number;
  /** Packets that a slot's FIFO has room for: as many as its credits. */
  readonly places: number;
}
export interface SlotParameters extends Omit<ChainParameters, "slots"> {
  /** What the tasks of its chain declare. */
  readonly chain: readonly Declared[];
  /** The slot's number in its chain. */
  readonly slot: number;
}
/** The chain as its packets see it. */
export const chainOf = ({ contexts, places, chain }: SlotParameters): ChainParameters => ({
  contexts,
  places,
  slots: chain.length,
});
/** @throws RangeError for a slot that the chain does not have */
export function declaredOf({ chain, slot }: SlotParameters): Declared {
  const declared = chain[slot];
  if (declared === undefined) throw new RangeError(`there is no slot ${slot} in a chain of ${chain.length}`);
  return declared;
}
const contextBits = (p: ChainParameters): number => Math.log2(p.contexts);

/** A packet for the chain: `run` has a bit for each slot that it takes; it skips the others. */
export const RegionEnter = (p: ChainParameters) =>
  struct({ ctx: uint(contextBits(p)), header: uint(headerBits), ...told, run: uint(p.slots) });
/**
 * A packet behind the chain. `mask`: bytes of the header that tasks wrote; the others mean nothing. `killed`: it was
 * dropped because a task was off. `refund`: slots whose credits it still holds, as it was dropped in front of them.
 */
export const RegionLeave = (p: ChainParameters) =>
  struct({
    ctx: uint(contextBits(p)),
    header: uint(headerBits),
    mask: uint(taskHeaderBytes),
    ...front,
    reply: bit,
    dropped: bit,
    killed: bit,
    refund: uint(p.slots),
  });
/** A packet between two slots. */
export const ChainPacket = (p: ChainParameters) => struct({ ...RegionEnter(p).fields, ...RegionLeave(p).fields });

/**
 * Software's controls of a slot. `busyAt`: packets in its FIFO from which on it is busy. `patience`: cycles without
 * progress after which its task is stuck; 0: for ever.
 */
export const SlotControl = (p: ChainParameters) =>
  struct({ quiesce: bit, isolate: bit, busyAt: uint(bitsFor(p.places)), patience: uint(16) });
/** Bits of a slot's counts; all wrap. */
export const countBits = 32;
/** Counts of packets, but for `busyCycles`; the last three count what the task did wrong. */
export const SlotCounts = struct({
  took: uint(countBits),
  skipped: uint(countBits),
  dropped: uint(countBits),
  killed: uint(countBits),
  busyCycles: uint(countBits),
  strays: uint(countBits),
  outside: uint(countBits),
  grown: uint(countBits),
});
/** How a slot is: `waiting` packets in the FIFO, `inside` the task. `quiet`: the task has none, and was given none. */
export const SlotState = (p: ChainParameters) =>
  struct({
    busy: bit,
    quiet: bit,
    off: bit,
    stuck: bit,
    waiting: uint(bitsFor(p.places)),
    inside: uint(7),
    counts: SlotCounts,
  });
/** A word of configuration for the task of a slot. */
export const RegionConfig = (p: ChainParameters) => struct({ ...TaskConfig.fields, slot: uint(addressBits(p.slots)) });
