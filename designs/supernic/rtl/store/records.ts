/** What goes into the packet store and comes out of it. */
import { bit, struct, uint } from "../../../../hdl-dsl/index.ts";

export interface StoreParameters {
  /** Cells, a power of two. */
  readonly cells: number;
  /** Beats of a cell, and banks: a power of two of 2 or more. */
  readonly cellBeats: number;
  readonly beatBytes: number;
  /** Beats of the longest payload. */
  readonly payloadBeats: number;
}

/** Bits of a number of owners: a packet has 1 to 7. */
export const ownersBits = 3;
/** Beats kept ready for each reader: what one distributed memory of the FPGA holds at no more cost. */
export const queueBeats = 16;

export const cellBits = (p: Pick<StoreParameters, "cells">): number => Math.log2(p.cells);
export const beatBits = (p: Pick<StoreParameters, "cellBeats">): number => Math.log2(p.cellBeats);
/** Bits of the number of beats of a payload. */
export const payloadBits = (p: Pick<StoreParameters, "payloadBeats">): number =>
  Math.ceil(Math.log2(p.payloadBeats + 1));

/** A beat of a payload on its way in; `owners` (1 or more) counts on the last beat. */
export const StoreBeat = (p: StoreParameters) =>
  struct({ data: uint(p.beatBytes * 8), last: bit, owners: uint(ownersBits) });
/** A cell that is free again: there is always room. */
export const FreedCell = (p: Pick<StoreParameters, "cells">) => struct({ valid: bit, cell: uint(cellBits(p)) });
/** Where a payload begins. */
export const FirstCell = (p: Pick<StoreParameters, "cells">) => struct({ first: uint(cellBits(p)) });
/** The first `beats` (1 or more) of the payload that begins in the cell `first`. */
export const StoreJob = (p: StoreParameters) => struct({ first: uint(cellBits(p)), beats: uint(payloadBits(p)) });
/** A beat on its way back to where it was read; `last` ends what belongs to a job. */
export const BackBeat = (p: StoreParameters) => struct({ data: uint(p.beatBytes * 8), last: bit });

/** What follows a cell: another one, or nothing. */
export const Chain = (p: Pick<StoreParameters, "cells" | "cellBeats">) =>
  struct({
    last: bit,
    /** The next cell; of the last cell the number of its last beat, in the lowest bits. */
    next: uint(cellBits(p)),
  });
/** The part of a job that lies in one cell. */
export const CellPart = (p: StoreParameters) =>
  struct({
    cell: uint(cellBits(p)),
    /** The last beat of the cell that counts. */
    lastBeat: uint(beatBits(p)),
    /** The job's last cell. */
    ends: bit,
    /** The job wanted more beats than the payload has. */
    short: bit,
  });
/** What can go wrong from outside, each for a cycle. */
export const StoreEvents = struct({
  /** A job ended early, because it wanted more beats than its payload has. */
  short: bit,
  /** Fewer or more beats came back than their job said. */
  uneven: bit,
});
