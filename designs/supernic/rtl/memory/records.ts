/** What the parts of the memory hand on to each other. Page: docs/supernic/memory.md. */
import {
  type Axi4Parameters,
  bit,
  type Bit,
  bitsFor,
  constant,
  enumOf,
  struct,
  uint,
  type UInt,
} from "../../../../hdl-dsl/index.ts";
import { memoryAddressBits } from "../tasks/index.ts";

export interface MemoryParameters {
  /** Tasks with a way to memory, 1 to 8. */
  readonly ways: number;
  /** Entries of the page table, a power of two. */
  readonly pages: number;
  /** Spaces that tasks may have, a power of two. */
  readonly spaces: number;
  /** Bits of a byte's place in a page: 12 (4 KB) and more. */
  readonly pageShift: number;
  /** Bits of the number of a page of the board's memory. */
  readonly ppnBits: number;
  /** Pages of the board's memory that are tasks', from 0 on; nothing else is touched. All, where it is left out. */
  readonly frames?: number;
  /** Zeroed pages that wait for a first touch, at most. */
  readonly freePages: number;
}
/** Pages of the board's memory that are tasks'. */
export const framesOf = (p: Pick<MemoryParameters, "frames" | "ppnBits">): number => p.frames ?? 2 ** p.ppnBits;
/** Bytes of the board's memory that are tasks', from 0 on. */
export const memoryBytesOf = (p: Pick<MemoryParameters, "frames" | "ppnBits" | "pageShift">): number =>
  framesOf(p) * 2 ** p.pageShift;
/** Whether a page of this number is not tasks'. */
export const isBeyond = (p: Pick<MemoryParameters, "frames" | "ppnBits">, ppn: UInt): Bit =>
  framesOf(p) >= 2 ** p.ppnBits ? constant(0, 1) : ppn.ge(framesOf(p));
/** What of a block's name tells that. */
export const framesName = ({ frames }: Pick<MemoryParameters, "frames">): string =>
  frames === undefined ? "" : `_n${frames}`;
export const memoryBeatBytes = 64;
/** Bytes that a burst never crosses (AXI4, A3.4.1); every page is a multiple of it. */
export const windowBits = 12;
/** Accesses of a way that have not been answered, at most, and beats that it keeps each way. */
export const mostAccesses = 8;
export const wayBeats = 32;
/** Beats of a burst, at most: 1,024 bytes from any byte on. */
export const mostBeats = 17;
export const beatsBits = 5;
/** Cycles until a way that waits for a page looks again. */
export const againCycles = 32;

export const vpnBits = (p: Pick<MemoryParameters, "pageShift">): number => memoryAddressBits + 1 - p.pageShift;
export const pageBits = (p: Pick<MemoryParameters, "pages">): number => Math.log2(p.pages);
export const spaceBits = (p: Pick<MemoryParameters, "spaces">): number => Math.max(1, Math.log2(p.spaces));
export const wayBits = (p: Pick<MemoryParameters, "ways">): number => Math.max(1, Math.ceil(Math.log2(p.ways)));
export const stampBits = 16;
/** Masters of the bus: the mover has ID 0, way i has i + 1. */
export const busOf = (p: MemoryParameters): Axi4Parameters => ({
  beatBytes: memoryBeatBytes,
  addressBits: p.ppnBits + p.pageShift,
  idBits: bitsFor(p.ways),
});

/** A space: its first entry in the page table, its pages, and whether its task may write at all. */
export const Space = (p: MemoryParameters) =>
  struct({ base: uint(pageBits(p)), limit: uint(pageBits(p) + 1), write: bit });
/** The space of a way; several ways may share one. */
export const WaySpace = (p: MemoryParameters) => struct({ valid: bit, space: uint(spaceBits(p)) });
/**
 * An entry of the page table. Valid and neither present nor remote: its first touch takes a zeroed page. Remote: who
 * touches it waits until software has brought it.
 */
export const PageEntry = (p: MemoryParameters) =>
  struct({ valid: bit, present: bit, write: bit, remote: bit, ppn: uint(p.ppnBits) });
/** A page as software sees it. */
export const PageSeen = (p: MemoryParameters) => struct({ ...PageEntry(p).fields, stamp: uint(stampBits) });

/** What a way wants to know of an address: the virtual page, and whether it is for a write. */
export const Look = (p: MemoryParameters) => struct({ vpn: uint(vpnBits(p)), write: bit });
/** `again`: the entry was changed while it was looked at. */
export const VerdictKind = enumOf("MemoryVerdict", ["mapped", "denied", "noPage", "remote", "again"]);
export const Verdict = (p: MemoryParameters) =>
  struct({ valid: bit, kind: VerdictKind, ppn: uint(p.ppnBits), page: uint(pageBits(p)) });

/** What software asks of the mover: zeros into a page that is then free, or a page's bytes out or in. */
export const MoveKind = enumOf("MoveKind", ["zero", "out", "in"]);
export const Move = (p: MemoryParameters) => struct({ kind: MoveKind, ppn: uint(p.ppnBits) });
/** How a move ended; a page that was zeroed is among the free ones and is told only if it failed. */
export const Moved = (p: MemoryParameters) => struct({ kind: MoveKind, ppn: uint(p.ppnBits), bad: bit });

/** A way as software sees it. `waits`: for a page; `remote`: for that one, else for any free one. */
export const WayState = (p: MemoryParameters) =>
  struct({
    waits: bit,
    remote: bit,
    page: uint(pageBits(p)),
    /** Nothing of it is under way. */
    idle: bit,
    /** Counts; they wrap. */
    denied: uint(32),
    failed: uint(32),
  });
