/** What goes into a task's way to memory and comes out; sizes of what is kept there. */
import {
  axi4Address,
  axi4Read,
  axi4Response,
  axi4Write,
  bit,
  input,
  type Inside,
  output,
  sink,
  source,
  struct,
  uint,
} from "../../../../../hdl-dsl/index.ts";
import { memoryAddressBits, MemoryAsk, MemoryGot, MemoryPut, MemoryWrote } from "../../tasks/index.ts";
import {
  beatsBits,
  busOf,
  Look,
  memoryBeatBytes,
  type MemoryParameters,
  mostAccesses,
  Verdict,
  wayBeats,
  WayState,
} from "../records.ts";

export const laneBits = Math.log2(memoryBeatBytes),
  atBits = memoryAddressBits + 1,
  levelBits = Math.log2(wayBeats) + 1;
/** Pieces of accesses that have not been answered, at most: an access meets one end of a window at most. */
export const mostPieces = 2 * mostAccesses;
export const Beats = uint(beatsBits),
  Lane = uint(laneBits);
/** A piece of an access on its way: `last` of its access. */
export const Piece = struct({ denied: bit, last: bit });
/** Beats that go to the bus, or nowhere. */
export const PutJob = struct({ beats: Beats, firstLane: Lane, lastLane: Lane, drop: bit });

export const wayPorts = (p: MemoryParameters) => ({
  ask: sink(MemoryAsk),
  put: sink(MemoryPut),
  got: source(MemoryGot),
  wrote: source(MemoryWrote),
  /** The task is off. */
  off: input(bit),
  /** Nothing of it is under way; the memory lets the task wait. */
  idle: output(bit),
  held: output(bit),
  look: source(Look(p)),
  verdict: input(Verdict(p)),
  /** It waits for a free page. */
  wanting: output(bit),
  ar: source(axi4Address(busOf(p))),
  r: sink(axi4Read(busOf(p))),
  aw: source(axi4Address(busOf(p))),
  w: source(axi4Write(memoryBeatBytes)),
  b: sink(axi4Response(busOf(p))),
  /** From now on; whether all that was looked up before has left the memory. */
  fence: input(bit),
  fenced: output(bit),
  state: output(WayState(p)),
});
export type WayIo = Inside<ReturnType<typeof wayPorts>>;
