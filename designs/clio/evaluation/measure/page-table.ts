import { bucketSlots, entryAddress, locate, packEntry } from "../../../shared/virtual-memory/table/index.ts";
import type { SimulatedNode } from "../../rig/index.ts";

/** Frames at the start of memory that the slow path gives out by itself. */
const slowPathFrames = 256;

/**
 * Entries put into a node's page table by the back door, straight in its memory, so that terabytes are mapped in a
 * second. Nothing else may allocate on that node. As in the paper, more pages than frames share frames.
 */
export class BackDoor {
  private readonly node: SimulatedNode;
  private readonly taken: Uint8Array;
  private mapped = 0;

  constructor(node: SimulatedNode) {
    this.node = node;
    this.taken = new Uint8Array(node.config.table.buckets);
  }

  /** Pages that have been mapped. */
  get count(): number {
    return this.mapped;
  }

  /**
   * Maps a page, readable and writable. @throws RangeError when its bucket is full: the allocator would not
   * have chosen it
   */
  map(pid: number, vpn: bigint): void {
    const { table, firstPpn } = this.node.config,
      { index, tag } = locate(table, pid, vpn, this.node.runtime.hashKey),
      slot = this.taken[index] ?? 0;
    if (slot >= bucketSlots) throw new RangeError(`the bucket of page ${vpn} of PID ${pid} is full`);
    this.taken[index] = slot + 1;
    const ppn = firstPpn + slowPathFrames + (this.mapped++ % (table.usablePages - slowPathFrames)),
      bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setBigUint64(
      0,
      packEntry(table, { valid: true, allocated: true, read: true, write: true, tag, ppn }),
      true,
    );
    this.node.ram.write(entryAddress(table, index, slot), bytes);
  }
  /** Physical address of the page that was mapped as the i-th. */
  frameOf(i: number): number {
    const { table, firstPpn, pageSize } = this.node.config;
    return (firstPpn + slowPathFrames + (i % (table.usablePages - slowPathFrames))) * pageSize;
  }
}
