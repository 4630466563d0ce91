import type { FramePool } from "../../../shared/virtual-memory/software/index.ts";
import type { SlowPathTransport } from "../transport/transport.ts";

/** Where a value lies: pieces of physical memory. */
export interface Stored {
  readonly size: number;
  readonly pieces: readonly { readonly address: number; readonly room: number }[];
}

const smallest = 64,
  largest = 4096;
/** The least page that pieces can be carved from, bytes. */
export const leastKvPage = largest;

/**
 * The offload's own memory: values in the node's DRAM, in pieces of 64 to 4096 bytes (powers of two) of frames of the
 * pool. It is a buddy system: a free piece is halved for smaller ones, and two free halves are one piece again. So what
 * was freed serves every size. A frame goes back to the pool with its last piece; one is kept, so that a value always
 * finds the memory that the last one left.
 *
 * Bound: a value of n bytes takes less than 2n + 64 bytes of pieces, and each frame holds a piece of some value, but
 * for the one that is kept.
 */
export class KvMemory {
  private readonly transport: Pick<SlowPathTransport, "readMemory" | "writeMemory">;
  private readonly pool: FramePool;
  private readonly pageSize: number;
  /** Free pieces by their size. */
  private readonly free = new Map<number, Set<number>>();
  /** Bytes in use of each frame, by its number. */
  private readonly used = new Map<number, number>();

  constructor(transport: KvMemory["transport"], pool: FramePool, pageSize: number) {
    this.transport = transport;
    this.pool = pool;
    this.pageSize = pageSize;
    for (let room = smallest; room <= largest; room *= 2) this.free.set(room, new Set());
  }

  /** Frames that it has. */
  get frames(): number {
    return this.used.size;
  }

  /** Take the first frame now, before the hardware's free-page buffer has them all. */
  async reserve(): Promise<void> {
    await this.nextFrame();
  }

  /** Store a value; undefined when there is no memory. */
  async store(value: Uint8Array): Promise<Stored | undefined> {
    const pieces: { address: number; room: number }[] = [];
    for (let at = 0; at < value.length; at += largest) {
      const part = value.subarray(at, at + largest),
        room = Math.max(smallest, 2 ** Math.ceil(Math.log2(part.length)));
      const address = await this.take(room);
      if (address === undefined) {
        this.release({ size: 0, pieces });
        return undefined;
      }
      pieces.push({ address, room });
      await this.transport.writeMemory(address, part);
    }
    return { size: value.length, pieces };
  }

  async load({ size, pieces }: Stored): Promise<Uint8Array> {
    const out = new Uint8Array(size);
    let at = 0;
    for (const p of pieces) {
      const length = Math.min(p.room, size - at);
      out.set(await this.transport.readMemory(p.address, length), at);
      at += length;
    }
    return out;
  }

  release(stored: Stored): void {
    for (const { address, room } of stored.pieces) {
      const frame = Math.floor(address / this.pageSize),
        left = (this.used.get(frame) ?? 0) - room;
      this.used.set(frame, left);
      this.join(address, room);
      if (left === 0 && this.used.size > 1) this.giveBack(frame);
    }
  }

  private listOf(room: number): Set<number> {
    return this.free.get(room) as Set<number>;
  }
  /** A free piece, joined with its other half as long as that is free, too. */
  private join(address: number, room: number): void {
    let at = address,
      size = room;
    for (; size < largest; size *= 2) {
      const buddy = Math.floor(at / size) % 2 === 0 ? at + size : at - size;
      if (!this.listOf(size).delete(buddy)) break;
      at = Math.min(at, buddy);
    }
    this.listOf(size).add(at);
  }
  private giveBack(frame: number): void {
    const from = frame * this.pageSize;
    for (let at = from; at < from + this.pageSize; at += largest) this.listOf(largest).delete(at);
    this.used.delete(frame);
    this.pool.release(frame);
  }

  private async take(room: number): Promise<number | undefined> {
    let size = room;
    while (size < largest && this.listOf(size).size === 0) size *= 2;
    const [address] = this.listOf(size);
    if (address === undefined) return (await this.nextFrame()) ? this.take(room) : undefined;
    this.listOf(size).delete(address);
    for (; size > room; size /= 2) this.listOf(size / 2).add(address + size / 2);
    const frame = Math.floor(address / this.pageSize);
    this.used.set(frame, (this.used.get(frame) ?? 0) + room);
    return address;
  }

  private async nextFrame(): Promise<boolean> {
    const ppn = await this.pool.take();
    if (ppn === undefined) return false;
    this.used.set(ppn, 0);
    const from = ppn * this.pageSize;
    for (let at = from; at < from + this.pageSize; at += largest) this.listOf(largest).add(at);
    return true;
  }
}
