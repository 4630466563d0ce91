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
 * The offload's own memory: values in the node's DRAM, in pieces of 64 to 4096 bytes (powers of two) carved from frames
 * of the pool. Freed pieces are reused for pieces of the same size; frames stay with the offload.
 */
export class KvMemory {
  private readonly transport: Pick<SlowPathTransport, "readMemory" | "writeMemory">;
  private readonly pool: FramePool;
  private readonly pageSize: number;
  private readonly free = new Map<number, number[]>();
  private next = 0;
  private end = 0;

  constructor(transport: KvMemory["transport"], pool: FramePool, pageSize: number) {
    this.transport = transport;
    this.pool = pool;
    this.pageSize = pageSize;
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
    for (const p of stored.pieces) this.free.set(p.room, [...(this.free.get(p.room) ?? []), p.address]);
  }

  private async take(room: number): Promise<number | undefined> {
    const reused = this.free.get(room)?.pop();
    if (reused !== undefined) return reused;
    if (this.next + room > this.end && !(await this.nextFrame())) return undefined;
    const address = this.next;
    this.next += room;
    return address;
  }

  private async nextFrame(): Promise<boolean> {
    const ppn = await this.pool.take();
    if (ppn === undefined) return false;
    // The rest of the old frame is too small for the piece at hand, not for smaller ones.
    for (let r = largest; r >= smallest; r /= 2)
      while (this.next + r <= this.end) {
        this.release({ size: 0, pieces: [{ address: this.next, room: r }] });
        this.next += r;
      }
    this.next = ppn * this.pageSize;
    this.end = this.next + this.pageSize;
    return true;
  }
}
