import type { CounterName } from "../../config/index.ts";

/** Registers of the node that the slow path writes. */
export type ControlRegister =
  /** 1: there is no page left, so a fault that finds the free-page buffer empty fails instead of waiting. */
  "outOfMemory";

/** The memory refuses a page table entry, however often it is tried. */
export class EntryRefused extends Error {
  override readonly name = "EntryRefused";
  constructor(address: number) {
    super(`the memory refuses the page table entry at 0x${address.toString(16)}: look at the memory there`);
  }
}

/** The table of when each region was written last, in a build with `activityRegions` (docs/valet.md). */
export interface ActivityHardware {
  readonly entries: number;
  /** From now on the entry counts, and as written now. */
  enroll(entry: number): Promise<void>;
  withdraw(entry: number): Promise<void>;
  /** The entry that was written longest ago of those that count; undefined when none does. */
  scan(): Promise<number | undefined>;
}

/**
 * Operations of the hardware that the slow path needs (paper §4.5: rings both ways, register access, DRAM access
 * across the interconnect). In simulation a bench stands behind it, on a board a driver; the slow path is the same.
 * Addresses are physical byte addresses. Every call may take time; calls made one after another without waiting are
 * done in that order.
 */
export interface SlowPathTransport {
  /** The next frame from the hardware, as received; undefined once the transport has been closed. */
  receive(): Promise<Uint8Array | undefined>;
  /** Send a frame (no FCS, already padded). */
  send(frame: Uint8Array): Promise<void>;
  readMemory(address: number, length: number): Promise<Uint8Array>;
  writeMemory(address: number, bytes: Uint8Array): Promise<void>;
  /** Zero whole frames; may be done by a DMA engine. Resolves when the memory holds the zeros. */
  zeroMemory(address: number, length: number): Promise<void>;
  /**
   * Put 64 bits in place of a page table entry and give the old ones. The exchange is one step against the hardware's
   * own writes to the entry. A page fault either finds its frame in the old value or writes after the exchange.
   * @throws EntryRefused when the memory answers with errors
   */
  exchangeEntry(address: number, bits: bigint): Promise<bigint>;
  /** Page numbers that the free-page buffer can take now. */
  freePageRoom(): Promise<number>;
  /** Hand the hardware a zeroed frame; only when there is room. */
  pushFreePage(ppn: number): Promise<void>;
  /**
   * Resolves with true as soon as the free-page buffer holds its low-water mark or less (at once when it does),
   * false once closed.
   */
  lowWater(): Promise<boolean>;
  /**
   * Make the hardware forget a page. Resolves on its acknowledgement. From then on no access uses an entry that was
   * fetched before the call. No write to the table that such a fetch led to is still under way.
   */
  shootdown(pid: number, vpn: bigint): Promise<void>;
  /** Nanoseconds since some start; only differences mean anything. */
  time(): number;
  readCounter(name: CounterName): Promise<bigint>;
  writeRegister(name: ControlRegister, value: number): Promise<void>;
  /**
   * Gives a process a key of 64 bits, or none (0), in a build with `processKeys`. Resolves when the hardware asks for
   * it (docs/clio/process-keys.md).
   */
  setProcessKey(pid: number, key: bigint): Promise<void>;
  /** Present in a build with `activityRegions`. */
  readonly activity?: ActivityHardware | undefined;
}
