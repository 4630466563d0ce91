/** What goes into the merge and comes out. Page: docs/supernic/merge.md. */
import {
  bit,
  input,
  output,
  portArray,
  sink,
  source,
  struct,
  mergePorts as together,
  uint,
  vec,
} from "../../../../hdl-dsl/index.ts";
import { Entered, Entry } from "../headers/index.ts";
import {
  Arrived,
  beatBytes,
  cellBeats,
  classBits,
  type DeviceSizes,
  EntryWrite,
  FrameBeat,
  inlets,
  lengthBits,
  payloadBeats,
  QueueHeads,
  Released,
  userBits,
} from "../inside/index.ts";
import { FirstCell, StoreBeat } from "../store/index.ts";

export type MergeParameters = Pick<DeviceSizes, "ports" | "users" | "contexts" | "cells" | "frameBytes">;

/** Contexts that arrivals leave for the loop port. */
export const loopContexts = 16;

/** Each for a cycle. */
export const MergeEvents = struct({
  /** A frame has been taken, of this user and with so many bytes. */
  taken: bit,
  user: uint(userBits),
  bytes: uint(lengthBits),
  /** A head has waited so long for room that it holds up others. */
  urgent: bit,
});

export const mergePorts = (p: MergeParameters) =>
  together(
    { heads: input(vec(QueueHeads(p), inlets(p))) },
    portArray("take", inlets(p), source(uint(classBits))),
    portArray("frames", inlets(p), sink(FrameBeat)),
    {
      enter: source(Entry(p)),
      entered: sink(Entered(p)),
      freeContexts: input(uint(Math.log2(p.contexts) + 1)),
      write: source(StoreBeat({ ...p, cellBeats, beatBytes, payloadBeats: payloadBeats(p) })),
      stored: sink(FirstCell(p)),
      freeCells: input(uint(Math.log2(p.cells) + 1)),
      /** Not before the context is free. */
      released: input(Released(p)),
      /** A 64th part of an epoch begins: tokens are given. At least twice as many cycles apart as there are users. */
      epoch: input(bit),
      users: input(EntryWrite("user")),
      arrived: source(Arrived(p)),
      events: output(MergeEvents),
      /** Users whose tokens are used up. */
      dry: output(uint(p.users)),
    },
  );
